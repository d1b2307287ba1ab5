import { ApiError, NoReply } from "../../model/errors.ts";
import type { PersistedPause } from "../../store/core/persisted_pause.ts";
import { nowMicros } from "../../time/clock.ts";

/** The pause of the store: while it lasts, no client gets a ticket. The persisted pause is read only at startup. */
export class Pause {
  readonly #kept: PersistedPause;
  #sinceMicros: number | undefined;

  constructor(persistedPause: PersistedPause) {
    this.#kept = persistedPause;
    this.#sinceMicros = persistedPause.sinceMicros;
  }

  /** The time when the pause began, in microseconds since 1970; undefined when the store is not paused. */
  get sinceMicros(): number | undefined {
    return this.#sinceMicros;
  }

  get isPaused(): boolean {
    return this.#sinceMicros !== undefined;
  }

  /** @throws ApiError `NotPaused` */
  assertPaused(): void {
    if (!this.isPaused) throw new ApiError("NotPaused");
  }

  /** @throws ApiError `Paused` */
  assertNotPaused(): void {
    if (this.isPaused) throw new ApiError("Paused");
  }

  async begin(): Promise<void> {
    if (!this.isPaused) this.#sinceMicros = await kept("saved", this.#kept.begin(nowMicros()));
  }

  async end(): Promise<void> {
    await kept("ended", this.#kept.end());
    this.#sinceMicros = undefined;
  }
}

async function kept<T>(what: string, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    // The store's own errors already say what the failure means for the client.
    if (error instanceof ApiError || error instanceof NoReply) throw error;
    throw new ApiError("InternalError", `the pause cannot be ${what}: ${(error as Error).message}`);
  }
}
