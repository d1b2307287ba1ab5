import { Malformed } from "./exchange.ts";
import { ApiError, NoReply } from "../model/errors.ts";

/** The statuses for which the log can say why. */
const REASONED_STATUSES: readonly number[] = [400, 413, 500];

/** Quoted texts that messages contain themselves, and do not repeat from a body. */
const OWN_QUOTES: readonly string[] = ['"*"', '"all"', '"none"', '"from"', '"before"'];

/**
 * Returns why a request was answered with this status, for the log: the message of the answer without any text
 * repeated from the body. Returns undefined for a status that needs no reason.
 */
export function reasonFor(status: number, error: unknown): string | undefined {
  if (!REASONED_STATUSES.includes(status)) return undefined;
  if (error instanceof Malformed) return error.message;
  if (error instanceof ApiError) return withoutBody(error.detail ?? error.code);
  // The failure itself is reported with its stack, or ends the process.
  return error instanceof NoReply ? "the outcome is unknown; there was no answer" : "unexpected server error";
}

/**
 * Removes from a message everything that it repeats from the body: texts in quotes (`quoted` in src/wire/invalid.ts),
 * text that the parser quotes when it is not JSON, and numbers that are too large.
 */
function withoutBody(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"/gs, (text) => OWN_QUOTES.includes(text) ? text : '"..."')
    .replace(
      / is not valid JSON: .*?( at position \d+)?( \(line \d+ column \d+\))?$/s,
      " is not valid JSON$1",
    )
    .replace(/ is \d+, more than /, " is more than ");
}
