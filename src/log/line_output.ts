import { withTimeout } from "../async/with_timeout.ts";
import { delay } from "../async/delay.ts";

/** Text waiting for a reader that has stalled; beyond it lines are dropped and counted. */
const PENDING_UNITS_MAX = 1024 * 1024;

/**
 * Returns the start of a line: the program's name, and the time in UTC before it if wanted, `2026-11-20T12:34:56.123Z
 * eventstore-server: `.
 */
export function lineStart(program: string, hasTime: boolean): string {
  return `${hasTime ? `${new Date().toISOString()} ` : ""}${program}: `;
}

/**
 * Lines for standard output or standard error, written together and in the background. A slow reader must not slow the
 * server, and a closed pipe must not stop it.
 */
export class LineOutput {
  readonly #program: string;
  readonly #hasTimes: boolean;
  readonly #write: (bytes: Uint8Array) => Promise<number>;
  #pending = "";
  #dropped = 0;
  #writing: Promise<void> | undefined;

  /**
   * @param program prefixes each line
   * @param write writes as much as it can and returns the number of bytes written
   * @param hasTimes true when each line begins with the time
   */
  constructor(program: string, write: (bytes: Uint8Array) => Promise<number>, hasTimes = false) {
    this.#program = program;
    this.#hasTimes = hasTimes;
    this.#write = write;
  }

  line(text: string): void {
    if (this.#pending.length > PENDING_UNITS_MAX) {
      this.#dropped++;
      return;
    }
    this.#pending += `${this.#start}${text}\n`;
    this.#writing ??= this.#flush();
  }

  /** Resolves when every line so far has been written, or after `milliseconds`. */
  async drained(milliseconds: number): Promise<void> {
    await withTimeout(this.#writing, milliseconds, () => {});
  }

  get #start(): string {
    return lineStart(this.#program, this.#hasTimes);
  }

  async #flush(): Promise<void> {
    // All lines of the code that is running now go out together.
    await delay(0);
    while (this.#pending !== "") {
      const bytes = new TextEncoder().encode(this.#pending);
      this.#pending = this.#dropped === 0
        ? ""
        : `${this.#start}[WARNING] ${this.#dropped} lines were dropped because standard output was not read\n`;
      this.#dropped = 0;
      try {
        for (let written = 0; written < bytes.length;) written += await this.#write(bytes.subarray(written));
      } catch {
        // The pipe is closed, so no reader will get this.
      }
    }
    this.#writing = undefined;
  }
}
