import type { LineOutput } from "./line_output.ts";

/** The levels, from developers' details to messages that an operator must act on. */
export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface AccessLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of the reply's body that were handed to the transport. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** The name of the token, if it has one. */
  readonly token?: string | undefined;
}

/** A request that was rejected or failed, for the line with the reason. */
export type RejectedRequest = Pick<AccessLine, "method" | "path" | "status">;

/** The longest path and reason that a line about a rejected request repeats, in characters. */
const REJECTED_PATH_MAX = 200;
const REASON_MAX = 300;

/**
 * Writes lines from a level up: one per request, never a body, and notes that belong to no request. If wanted, it
 * writes another line with the reason for each request that was rejected or failed.
 */
export class Log {
  readonly #lowest: number;
  readonly #output: Pick<LineOutput, "line">;
  readonly #reasons: Pick<LineOutput, "line"> | undefined;

  /** @param reasons the output for reasons; undefined when they are not wanted */
  constructor(
    lowest: LogLevel,
    output: Pick<LineOutput, "line">,
    reasons?: Pick<LineOutput, "line">,
  ) {
    this.#lowest = LOG_LEVELS.indexOf(lowest);
    this.#output = output;
    this.#reasons = reasons;
  }

  write(level: LogLevel, line: AccessLine): void {
    // Most lines are below the log level, and building one takes time.
    if (!this.isWanted(level)) return;
    const { method, path, status, bytes, milliseconds, token } = line;
    const request = `${printable(method)} ${printable(path)}`;
    const sender = token === undefined ? "" : ` token=${token}`;
    this.note(level, `${request} ${status} ${bytes}B ${milliseconds.toFixed(1)}ms${sender}`);
  }

  /** Writes the reason of a rejection, whatever the level. @param reason one line that repeats nothing of a body */
  rejected({ method, path, status }: RejectedRequest, reason: string): void {
    if (this.#reasons === undefined) return;
    const request = `${clipped(printable(method), REJECTED_PATH_MAX)} ${
      clipped(printable(path), REJECTED_PATH_MAX)
    }`;
    this.#reasons.line(`${request} ${status}: ${clipped(onOneLine(reason), REASON_MAX)}`);
  }

  note(level: LogLevel, text: string): void {
    if (this.isWanted(level)) this.#output.line(`[${level.toUpperCase()}] ${text}`);
  }

  isWanted(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#lowest;
  }
}

// deno-lint-ignore no-control-regex -- control characters are what must not reach the log
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u{10ffff}]/gu;
// deno-lint-ignore no-control-regex -- the same, but sentences contain spaces
const UNPRINTABLE_IN_REASON = /[\u0000-\u001f\u007f-\u{10ffff}]/gu;

/** A path may contain every character that the transport accepts. One request must stay one line. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

function onOneLine(text: string): string {
  return text.replace(UNPRINTABLE_IN_REASON, escaped);
}

function escaped(char: string): string {
  return encodeURIComponent(char.toWellFormed());
}

function clipped(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${text.slice(0, unitsMax)}...` : text;
}
