import type { ServerSettings } from "../../config/load.ts";
import type { Condition } from "../../model/condition.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import { type EventContent, eventContent } from "../../store/core/prepare_event.ts";
import { decodeCommittedRead } from "../../wire/read_request.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";
import { decodeWrite, LITERALS } from "./write_request.ts";

/** The body of a `POST /write`, complete except for the time. */
export interface WriteContent {
  readonly events: readonly EventContent[];
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
}

export const WRITE_DECODERS = {
  write(body: unknown, limits: ServerSettings): WriteContent {
    const { events, conditions, projections } = decodeWrite(body, limits);
    return { events: events.map((event) => eventContent(event)), conditions, projections };
  },
  read: (body: unknown, limits: ServerSettings): DecodedRead =>
    prepareRead(decodeCommittedRead(body, LITERALS, limits)),
};

export type WriteDecoding = BodyDecoding<typeof WRITE_DECODERS>;
