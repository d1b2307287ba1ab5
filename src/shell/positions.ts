import type { Position } from "../../client/mod.ts";
import type { Server } from "../../client/server.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import { Wrong } from "./ends.ts";

/**
 * Parses a position as `head --json` prints it, or a bare sequence, which belongs to the store of the server.
 * @param flag names it in errors
 */
export function positionOf(text: string, flag: string): Position | number {
  if (!text.startsWith("{")) return sequenceOf(text, flag, 0);
  try {
    const { storeId, sequence } = JSON.parse(text) as Partial<Position>;
    if (typeof storeId === "string" && storeId !== "" && Number.isSafeInteger(sequence) && sequence! >= 0) {
      return { storeId, sequence: sequence! };
    }
  } catch {
    // The error below covers this case.
  }
  throw new Wrong(`--${flag}: must be a sequence or {"storeId": ..., "sequence": ...}, not ${text}`);
}

/** Parses the whole number of a flag. */
export function sequenceOf(text: string, flag: string, min: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(number) && number >= min) return number;
  throw new Wrong(`--${flag}: must be a whole number from ${min}, not ${JSON.stringify(text)}`);
}

/** Parses the time of a flag, in microseconds since 1970. @throws Wrong */
export function timeOf(text: string, flag: string): bigint {
  const micros = parseTimestamp(text);
  if (micros !== undefined) return micros;
  throw new Wrong(`--${flag}: must be a time such as 2026-11-20T19:07:36Z, not ${JSON.stringify(text)}`);
}

/** Returns the position before the first event whose time is not before this one. */
export async function positionOfTime(server: Server, time: string): Promise<Position> {
  const path = `/position?time=${encodeURIComponent(time)}`;
  const { json, body } = await server.repeat({ method: "GET", path });
  const { store, afterSequence } = json<{ readonly store: string; readonly afterSequence: number }>(body);
  return { storeId: store, sequence: afterSequence };
}
