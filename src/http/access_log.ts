import type { LogLevel } from "../model/errors.ts";
import type { LineOutput } from "./line_output.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warning", "error"];

/** One answered request. */
export interface AccessLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of the reply's body that were handed to the transport. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** One line per request, never a body, and now and then a line that belongs to no request. */
export class AccessLog {
  readonly #lowest: number;
  readonly #output: Pick<LineOutput, "line">;

  constructor(lowest: LogLevel, output: Pick<LineOutput, "line">) {
    this.#lowest = LEVELS.indexOf(lowest);
    this.#output = output;
  }

  write(level: LogLevel, line: AccessLine): void {
    // Most lines are not wanted, and putting one together costs something.
    if (!this.#isWanted(level)) return;
    const { method, path, status, bytes, milliseconds } = line;
    const request = `${printable(method)} ${printable(path)}`;
    this.note(level, `${request} ${status} ${bytes}B ${milliseconds.toFixed(1)}ms`);
  }

  note(level: LogLevel, text: string): void {
    if (this.#isWanted(level)) this.#output.line(`[${level.toUpperCase()}] ${text}`);
  }

  #isWanted(level: LogLevel): boolean {
    return LEVELS.indexOf(level) >= this.#lowest;
  }
}

// deno-lint-ignore no-control-regex -- control characters are what must not reach the log
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u{10ffff}]/gu;

/** A path may hold anything that the transport let through; one request stays one line. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (char) => encodeURIComponent(char.toWellFormed()));
}
