import type { NewEvent } from "../../client/mod.ts";
import { ApiError } from "../model/errors.ts";
import { decodeObject } from "../wire/decode.ts";
import { decodeEvent } from "../wire/event.ts";
import { LINE_KEYS } from "../wire/event_line.ts";
import { parseJson } from "../wire/json.ts";
import { LineSplitter } from "../wire/lines.ts";
import { Wrong } from "./ends.ts";
import { tagsByName } from "./queries.ts";

/** The maximum text in memory at once: no server accepts as much in one write. */
const BYTES_MAX = 64 * 1024 * 1024;

/** The keys of an event that was read. One that was forgotten would be written as if its payload were empty. */
const READ_KEYS = [...LINE_KEYS, "forgotten"] as const;

/**
 * Returns the events of JSON lines as they are received, a number of them at a time, or all at once. Empty lines are
 * skipped.
 * @param name names the input in errors
 * @throws Wrong with the number of the line
 */
export async function* eventBatches(
  input: AsyncIterable<Uint8Array>,
  name: string,
  count: number,
): AsyncGenerator<NewEvent[], void> {
  let batch: NewEvent[] = [];
  let bytes = 0;
  let number = 0;
  for await (const line of linesOf(input, name)) {
    number++;
    if (isBlank(line)) continue;
    bytes += line.length;
    if (bytes > BYTES_MAX) throw tooLong(name);
    batch.push(eventOf(line, `${name}: line ${number}`));
    if (batch.length < count) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function eventOf(line: Uint8Array, place: string): NewEvent {
  try {
    // `read --json` also prints the place in its store, which the event gets anew.
    const { sequence: _sequence, time: _time, forgotten, ...event } = decodeObject(
      parseJson(line),
      "",
      READ_KEYS,
    );
    if (forgotten !== undefined) {
      throw new Wrong(`${place}: the payload of this event was forgotten; leave such lines out`);
    }
    const { type, identifiers, metadata, payload } = decodeEvent(event, "");
    return { type, identifiers: tagsByName(identifiers), metadata: tagsByName(metadata), payload };
  } catch (error) {
    if (error instanceof ApiError) throw new Wrong(`${place}: ${error.detail?.replace(/^body /, "it ")}`);
    throw error;
  }
}

/** Lines, with or without their line feeds. */
async function* linesOf(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void> {
  const splitter = new LineSplitter();
  for await (const chunk of input) {
    yield* splitter.push(chunk);
    if (splitter.restBytes > BYTES_MAX) throw tooLong(name);
  }
  if (splitter.restBytes > 0) yield splitter.rest;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a);
}

function tooLong(name: string): Wrong {
  return new Wrong(`${name}: more than ${BYTES_MAX / 1024 / 1024} MiB at once; use --batch`);
}
