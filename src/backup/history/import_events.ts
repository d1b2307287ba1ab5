import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { eventLine } from "../../wire/event.ts";
import { decodeEventLine } from "../../wire/event_line.ts";
import { exportTrailer, TRAILER_START } from "./export_trailer.ts";
import { HashChain } from "./hash_chain.ts";
import { inBatches } from "./in_batches.ts";
import { type ReadBytes, readLines } from "./lines.ts";

const decoder = new TextDecoder();

/**
 * Returns the events of an export, checked line by line and prepared for the store in batches.
 * @throws Error that names the faulty line; after the last batch at the latest if the export is incomplete
 */
export function importEvents(read: ReadBytes): Iterable<PreparedEvent[]> {
  return inBatches(eventsOf(read));
}

function* eventsOf(read: ReadBytes): Generator<PreparedEvent, void> {
  const chain = new HashChain();
  const lines = readLines(read);
  let events = 0;
  for (let line = lines.next(); !line.done; line = lines.next()) {
    if (isTrailer(line.value)) {
      checkTrailer(decoder.decode(line.value), events, chain);
      if (lines.next().done !== true) throw new Error(`line ${events + 2}: nothing may follow the trailer`);
      return;
    }
    yield prepare(line.value, ++events, chain);
  }
  throw new Error(`it was cut short: the trailer is missing after line ${events}`);
}

/** Each event has a line, so its number is also the line's number. */
function prepare(line: Uint8Array, number: number, chain: HashChain): PreparedEvent {
  try {
    const { sequence, timeMicros, body, event } = decodeEventLine(line);
    if (sequence !== number) throw new Error(`the sequence is ${sequence}, expected ${number}`);
    chain.add(eventLine({ sequence, timeMicros, body }));
    return prepareEvent(event, timeMicros, body);
  } catch (error) {
    throw new Error(`line ${number}: ${(error as Error).message}`);
  }
}

function isTrailer(line: Uint8Array): boolean {
  return decoder.decode(line.subarray(0, TRAILER_START.length)) === TRAILER_START;
}

/** The events are complete and unchanged if they produce the same trailer. */
function checkTrailer(trailer: string, events: number, chain: HashChain): void {
  const expected = exportTrailer(events, chain).trimEnd();
  if (trailer === expected) return;
  const line = `line ${events + 1}: the trailer`;
  const found = parseTrailer(trailer);
  if (found === undefined) throw new Error(`${line} was cut short`);
  if (found["events"] !== events) {
    throw new Error(`${line} declares ${String(found["events"])} events, but ${events} came before it`);
  }
  if (found["chain"] !== chain.hex) {
    throw new Error(`${line} has a different hash chain: an event was changed`);
  }
  throw new Error(`${line} is not ${expected}`);
}

function parseTrailer(trailer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(trailer) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
