import type { LogLevel } from "../model/errors.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warning", "error"];

/** Lines waiting for a reader of standard output that has stalled; beyond it lines are dropped and counted. */
const PENDING_UNITS_MAX = 1024 * 1024;

/** One answered request. */
export interface AccessLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Bytes of the reply's body that were handed to the transport. */
  readonly bytes: number;
  readonly milliseconds: number;
}

type Output = (bytes: Uint8Array) => Promise<unknown>;

/**
 * One line per request on standard output, never a body. Lines are written together and in the background:
 * a slow reader of the log must not slow the server.
 */
export class AccessLog {
  readonly #program: string;
  readonly #lowest: number;
  readonly #output: Output;
  #pending = "";
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(program: string, lowest: LogLevel, output: Output) {
    this.#program = program;
    this.#lowest = LEVELS.indexOf(lowest);
    this.#output = output;
  }

  write(level: LogLevel, line: AccessLine): void {
    if (LEVELS.indexOf(level) < this.#lowest) return;
    const { method, path, status, bytes, milliseconds } = line;
    const text = `${printable(method)} ${printable(path)} ${status} ${bytes}B ${milliseconds.toFixed(1)}ms`;
    this.message(level, text);
  }

  /** A line that is not about one request. */
  message(level: LogLevel, text: string): void {
    if (LEVELS.indexOf(level) < this.#lowest) return;
    if (this.#pending.length > PENDING_UNITS_MAX) {
      this.#dropped++;
      return;
    }
    this.#pending += `${this.#program}: [${level.toUpperCase()}] ${text}\n`;
    this.#writing ??= this.#flush();
  }

  /** Resolves when every line so far is out. */
  async drained(): Promise<void> {
    await this.#writing;
  }

  async #flush(): Promise<void> {
    // Everything that is logged until the next turn of the event loop goes out in one piece.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (this.#pending !== "") {
      const text = this.#pending;
      this.#pending = this.#dropped === 0
        ? ""
        : `${this.#program}: [WARNING] ${this.#dropped} lines were dropped because nobody read them\n`;
      this.#dropped = 0;
      // Nobody reads the log any more (a closed pipe, say): that is no reason to stop serving.
      await this.#output(new TextEncoder().encode(text)).catch(() => {});
    }
    this.#writing = undefined;
  }
}

// deno-lint-ignore no-control-regex -- control characters are what must not reach the log
const UNPRINTABLE = /[\u0000-\u0020\u007f-\u{10ffff}]/gu;

/** A path may hold anything that the transport let through; one request stays one line. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (char) => encodeURIComponent(char.toWellFormed()));
}
