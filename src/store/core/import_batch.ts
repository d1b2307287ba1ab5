import type { ProjectionReplace } from "../../model/projection.ts";
import { SEALED } from "../../wire/sealed_event.ts";
import type { StoredSubject } from "../api/store.ts";
import type { PreparedEvent } from "./prepare_event.ts";

/** Part of the content of a new store. */
export interface ImportBatch {
  /** The next events. */
  readonly events: readonly PreparedEvent[];
  readonly projections: readonly ProjectionReplace[];
  /** Subjects whose keys were made in another store, in their order. They come with the first batch. */
  readonly subjects?: readonly StoredSubject[];
}

/** True when the payload of an event is encrypted already. */
export function isSealed({ body }: PreparedEvent): boolean {
  return body.includes(SEALED);
}

/** True when a store needs the tables of subjects for a batch. */
export function needsSubjects({ events, subjects = [] }: ImportBatch): boolean {
  return subjects.length > 0 || events.some(isSealed);
}
