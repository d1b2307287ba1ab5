import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { eventLine } from "../../wire/event.ts";
import { decodeEventLine } from "../../wire/event_line.ts";
import { decodePlainEvent } from "../../wire/plain_event.ts";
import { exportTrailer, TRAILER_START } from "./export_trailer.ts";
import { HashChain } from "./hash_chain.ts";

/** Prepares the events in the lines of a file for the store. @throws Error that names the line at fault */
export type EventFormat = (lines: Generator<Uint8Array, void>) => Iterable<PreparedEvent>;

const decoder = new TextDecoder();

/**
 * The format of an export. Each event has a line, so its number is also the line's number.
 * @throws Error after the last event at the latest if the export is incomplete
 */
export function* importEvents(lines: Generator<Uint8Array, void>): Generator<PreparedEvent, void> {
  const chain = new HashChain();
  let events = 0;
  for (let line = lines.next(); !line.done; line = lines.next()) {
    if (isTrailer(line.value)) {
      checkTrailer(decoder.decode(line.value), events, chain);
      if (lines.next().done !== true) throw new Error(`line ${events + 2}: nothing may follow the trailer`);
      return;
    }
    yield prepareLine(++events, () => {
      const { sequence, timeMicros, body, event } = decodeEventLine(line.value);
      if (sequence !== events) throw new Error(`the sequence is ${sequence}, expected ${events}`);
      chain.add(eventLine({ sequence, timeMicros, body }));
      return prepareEvent(event, timeMicros, body);
    });
  }
  throw new Error(`it was cut short: the trailer is missing after line ${events}`);
}

/**
 * The format of other programs: one event a line, numbered as it comes.
 * @param nowMicros the time of events without one, in microseconds since 1970
 */
export function importPlainEvents(nowMicros: number): EventFormat {
  return function* (lines) {
    let events = 0;
    for (const line of lines) {
      yield prepareLine(++events, () => {
        const { event, timeMicros = nowMicros } = decodePlainEvent(line);
        return prepareEvent(event, timeMicros);
      });
    }
    // The program that should have written the file has failed.
    if (events === 0) throw new Error("it holds no events");
  };
}

function prepareLine(number: number, prepare: () => PreparedEvent): PreparedEvent {
  try {
    return prepare();
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
