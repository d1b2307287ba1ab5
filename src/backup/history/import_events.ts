import type { ProjectionReplace } from "../../model/projection.ts";
import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { eventLine } from "../../wire/event.ts";
import { decodeEventLine, type ParsedLine } from "../../wire/event_line.ts";
import { decodePlainEvent } from "../../wire/plain_event.ts";
import { exportTrailer, type MovedStore, TRAILER_START } from "./export_trailer.ts";
import { HashChain } from "./hash_chain.ts";
import { decodeProjectionLine, isProjectionLine, projectionLine } from "./projection_lines.ts";

/**
 * Prepares the events in the lines of a file for the store, and the projections that come after them.
 * @throws Error that names the line at fault
 */
export type ImportFormat = (
  lines: Generator<Uint8Array, void>,
) => Iterable<PreparedEvent | ProjectionReplace>;

/** Called for each event with an encrypted payload. */
type OnSealed = (line: ParsedLine) => void;

const decoder = new TextDecoder();

const STORE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The format of an export, without its projections. Each event has a line, so its number is also the line's number.
 * @throws Error after the last event at the latest if the export is incomplete
 */
export function importEvents(onSealed: OnSealed): ImportFormat {
  return (lines) => importExport(lines, onSealed, undefined);
}

/**
 * The same for an export of a store that moves, with its projections.
 * @param onStoreId called with the ID of the store when everything has been read
 */
export function importMovedStore(onSealed: OnSealed, onStoreId: (storeId: string) => void): ImportFormat {
  return (lines) => importExport(lines, onSealed, onStoreId);
}

function* importExport(
  lines: Generator<Uint8Array, void>,
  onSealed: OnSealed,
  onStoreId: ((storeId: string) => void) | undefined,
): Generator<PreparedEvent | ProjectionReplace, void> {
  const chain = new HashChain();
  const projectionsChain = new HashChain();
  let [events, projections] = [0, 0];
  for (let line = lines.next(); !line.done; line = lines.next()) {
    const number = events + projections + 1;
    if (isTrailer(line.value)) {
      const trailer = decoder.decode(line.value);
      const storeId = storeIdIn(trailer);
      const moved = storeId === undefined ? undefined : { storeId, projections, chain: projectionsChain };
      checkTrailer(trailer, { events, chain, moved, number });
      if (lines.next().done !== true) throw new Error(`line ${number + 1}: nothing may follow the trailer`);
      if (onStoreId === undefined) return;
      if (storeId === undefined) {
        throw new Error("it was not exported with --move, so the old store may be in use");
      }
      return onStoreId(storeId);
    }
    if (isProjectionLine(line.value)) {
      const projection = prepareLine(number, () => decodeProjectionLine(line.value!));
      projectionsChain.add(projectionLine(projection));
      projections++;
      if (onStoreId !== undefined) yield projection;
      continue;
    }
    yield prepareLine(number, () => {
      const parsed = decodeEventLine(line.value!);
      const { sequence, timeMicros, body, event } = parsed;
      if (parsed.sealed !== undefined) onSealed(parsed);
      if (sequence !== events + 1) throw new Error(`the sequence is ${sequence}, expected ${events + 1}`);
      chain.add(eventLine({ sequence, timeMicros, body }));
      return prepareEvent(event, timeMicros, body);
    });
    events++;
  }
  throw new Error(`it was cut short: the trailer is missing after line ${events + projections}`);
}

/**
 * The format of other programs: one event a line, numbered as it comes.
 * @param nowMicros the time of events without one, in microseconds since 1970
 */
export function importPlainEvents(nowMicros: number): ImportFormat {
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

function prepareLine<Item>(number: number, prepare: () => Item): Item {
  try {
    return prepare();
  } catch (error) {
    throw new Error(`line ${number}: ${(error as Error).message}`);
  }
}

function isTrailer(line: Uint8Array): boolean {
  return decoder.decode(line.subarray(0, TRAILER_START.length)) === TRAILER_START;
}

/** The content of a file before its trailer, as the import has read it. */
interface Found {
  readonly events: number;
  readonly chain: HashChain;
  readonly moved: MovedStore | undefined;
  /** The number of the trailer's line. */
  readonly number: number;
}

/** Everything is complete and unchanged if it produces the same trailer. */
function checkTrailer(trailer: string, { events, chain, moved, number }: Found): void {
  const expected = exportTrailer(events, chain, moved).trimEnd();
  if (trailer === expected) return;
  const line = `line ${number}: the trailer`;
  const found = parseTrailer(trailer);
  if (found === undefined) throw new Error(`${line} was cut short`);
  if (found["events"] !== events) {
    throw new Error(`${line} declares ${String(found["events"])} events, but ${events} came before it`);
  }
  if (found["chain"] !== chain.hex) {
    throw new Error(`${line} has a different hash chain: an event was changed`);
  }
  if (moved !== undefined && found["projections"] === moved.projections) {
    throw new Error(`${line} has a different hash chain: a projection was changed`);
  }
  throw new Error(`${line} is not ${expected}`);
}

function storeIdIn(trailer: string): string | undefined {
  const storeId = parseTrailer(trailer)?.["store"];
  return typeof storeId === "string" && STORE_ID.test(storeId) ? storeId : undefined;
}

function parseTrailer(trailer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(trailer) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
