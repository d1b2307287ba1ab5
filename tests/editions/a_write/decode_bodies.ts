import { parseJson } from "../../../src/wire/json.ts";
import { type CommittedRead, decodeCommittedRead } from "../../../src/wire/read_request.ts";
import {
  decodeWrite,
  LITERALS as literals,
  type Write,
} from "../../../src/editions/a_write/write_request.ts";

export { literals };

/** The defaults of the specification. */
export const limits = {
  maxEventSize: 65536,
  maxTagsPerEvent: 20,
  rejectEmails: false,
  maxProjectionSize: 65536,
  maxEventsPerWrite: 100,
  maxProjectionsPerWrite: 500,
  defaultEventsPerPage: 1000,
  maxEventsPerPage: 10000,
};

export function parseText(text: string): unknown {
  return parseJson(new TextEncoder().encode(text));
}

/** Decodes the body of a `POST /write`, given as text or as a value. */
export function readWrite(body: unknown): Write {
  return decodeWrite(parseText(typeof body === "string" ? body : JSON.stringify(body)), limits);
}

/** Decodes the body of a `QUERY /events`, given as text or as a value. */
export function readRead(body: unknown): CommittedRead {
  return decodeCommittedRead(
    parseText(typeof body === "string" ? body : JSON.stringify(body)),
    literals,
    limits,
  );
}
