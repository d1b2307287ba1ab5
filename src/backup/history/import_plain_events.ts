import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { decodePlainEvent } from "../../wire/plain_event.ts";
import { inBatches } from "./in_batches.ts";
import { type ReadBytes, readLines } from "./lines.ts";

/**
 * Returns the events of a file with one event a line, as other programs write it, prepared for the store in batches.
 * @param nowMicros the time of events without one, in microseconds since 1970
 * @throws Error that names the faulty line, or says that there is none
 */
export function importPlainEvents(read: ReadBytes, nowMicros: number): Iterable<PreparedEvent[]> {
  return inBatches(eventsOf(read, nowMicros));
}

function* eventsOf(read: ReadBytes, nowMicros: number): Generator<PreparedEvent, void> {
  let number = 0;
  for (const line of readLines(read)) yield prepare(line, ++number, nowMicros);
  // The program that should have written the file has failed.
  if (number === 0) throw new Error("it holds no events");
}

function prepare(line: Uint8Array, number: number, nowMicros: number): PreparedEvent {
  try {
    const { event, timeMicros = nowMicros } = decodePlainEvent(line);
    return prepareEvent(event, timeMicros);
  } catch (error) {
    throw new Error(`line ${number}: ${(error as Error).message}`);
  }
}
