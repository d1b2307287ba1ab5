import { Refusal } from "../../model/errors.ts";
import { readPauseFile, removePauseFile, writePauseFile } from "../../store/pause_file.ts";

/** Whether tickets are given out. Kept as a file that is read at the start only. */
export class Pause {
  readonly #dataDir: string;
  #sinceMicros: number | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#sinceMicros = readPauseFile(dataDir);
  }

  /** Since when the store is paused, in microseconds since 1970; undefined when it isn't. */
  get sinceMicros(): number | undefined {
    return this.#sinceMicros;
  }

  get holds(): boolean {
    return this.#sinceMicros !== undefined;
  }

  /** @throws Refusal `NotPaused` */
  mustHold(): void {
    if (!this.holds) throw new Refusal("NotPaused");
  }

  /** @throws Refusal `Paused` */
  mustNotHold(): void {
    if (this.holds) throw new Refusal("Paused");
  }

  async begin(): Promise<void> {
    if (!this.holds) this.#sinceMicros = await kept("kept", writePauseFile(this.#dataDir));
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
    throw new Refusal("InternalError", `the pause can't be ${what}: ${(error as Error).message}`);
  }
}
