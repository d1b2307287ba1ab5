import { LOG_LEVELS, type LogLevel } from "./level.ts";
import type { LineOutput } from "./line_output.ts";

/** One request and its response. */
export interface AccessLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of the reply's body that were handed to the transport. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Lines from a level up: one per request, never a body, and notes that belong to no request. */
export class Log {
  readonly #lowest: number;
  readonly #output: Pick<LineOutput, "line">;

  constructor(lowest: LogLevel, output: Pick<LineOutput, "line">) {
    this.#lowest = LOG_LEVELS.indexOf(lowest);
    this.#output = output;
  }

  write(level: LogLevel, line: AccessLine): void {
    // Most lines are below the log level, and building one costs time.
    if (!this.isWanted(level)) return;
    const { method, path, status, bytes, milliseconds } = line;
    const request = `${printable(method)} ${printable(path)}`;
    this.note(level, `${request} ${status} ${bytes}B ${milliseconds.toFixed(1)}ms`);
  }

  note(level: LogLevel, text: string): void {
    if (this.isWanted(level)) this.#output.line(`[${level.toUpperCase()}] ${text}`);
  }

  /** Whether lines of this level are written at all. */
  isWanted(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#lowest;
  }
}

// deno-lint-ignore no-control-regex -- control characters are what must not reach the log
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u{10ffff}]/gu;

/** A path may contain anything that the transport lets through; one request stays one line. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (char) => encodeURIComponent(char.toWellFormed()));
}
