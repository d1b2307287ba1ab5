import { Refusal } from "../../model/errors.ts";
import { readPauseFile, removePauseFile, writePauseFile } from "../../store/pause_file.ts";

/** Whether tickets are given out. Kept as a file that is read only at startup. */
export class Pause {
  readonly #dataDir: string;
  #sinceMicros: number | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#sinceMicros = readPauseFile(dataDir);
  }

  /** Since when the store is paused, in microseconds since 1970; undefined when it is not. */
  get sinceMicros(): number | undefined {
    return this.#sinceMicros;
  }

  get isPaused(): boolean {
    return this.#sinceMicros !== undefined;
  }

  /** @throws Refusal `NotPaused` */
  assertPaused(): void {
    if (!this.isPaused) throw new Refusal("NotPaused");
  }

  /** @throws Refusal `Paused` */
  assertNotPaused(): void {
    if (this.isPaused) throw new Refusal("Paused");
  }

  async begin(): Promise<void> {
    if (!this.isPaused) this.#sinceMicros = await kept("saved", writePauseFile(this.#dataDir));
  }

  async end(): Promise<void> {
    await kept("ended", removePauseFile(this.#dataDir));
    this.#sinceMicros = undefined;
  }
}

async function kept<T>(what: string, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    throw new Refusal("InternalError", `the pause cannot be ${what}: ${(error as Error).message}`);
  }
}
