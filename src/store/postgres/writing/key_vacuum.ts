import type { Primary } from "../cluster/primary.ts";
import { numberIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";

/**
 * Up to this size, the table of keys is written anew: some 17,000 keys. It took 17 ms with 10,000. Meanwhile no transaction
 * can read or make a key. In a larger table, VACUUM leaves the last deleted row of a page where it was.
 */
const REWRITTEN_BYTES_MAX = 2 * 1024 * 1024;

/** How long other transactions may have to wait because the rewrite waits for one of them. */
const LOCK_MILLISECONDS = 100;

/** The pause after each run. When many subjects are forgotten, one run serves several of them. */
const PAUSE_MILLISECONDS = 1000;

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Removes the bytes of deleted keys from the table, which PostgreSQL would leave there for as long as it likes. This runs
 * on a connection of its own after the forgetting has been answered, and only if the server's role owns the table.
 */
export class KeyVacuum {
  readonly #primary: Pick<Primary, "open">;
  #isWanted = false;
  #running: Promise<void> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #session: Session | undefined;
  #isClosed = false;

  constructor(primary: Pick<Primary, "open">) {
    this.#primary = primary;
  }

  /** Runs at once, or after the present run and its pause. */
  deleted(): void {
    this.#isWanted = true;
    if (this.#running === undefined && this.#pause === undefined) this.#start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    await this.#session?.close();
    await this.#running;
  }

  #start(): void {
    if (!this.#isWanted || this.#isClosed) return;
    this.#isWanted = false;
    // After an error, autovacuum or the next forgetting removes the bytes.
    this.#running = this.#run().catch(() => {}).finally(() => {
      this.#running = undefined;
      if (this.#isClosed) return;
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        this.#start();
      }, PAUSE_MILLISECONDS);
    });
  }

  async #run(): Promise<void> {
    const session = this.#session = await this.#primary.open("setup");
    try {
      if (!this.#isClosed) await vacuum(session);
    } finally {
      await session.close();
    }
  }
}

async function vacuum(session: Session): Promise<void> {
  const [[row] = []] = await session.run([{ sql: "SELECT pg_relation_size('subject_key')" }]);
  if (numberIn(row![0]) <= REWRITTEN_BYTES_MAX && await rewriteKeys(session)) return;
  await session.run([{ sql: "VACUUM subject_key" }]);
}

/** Writes the table of keys anew. @returns false when another transaction uses the table for long */
export async function rewriteKeys(session: Session): Promise<boolean> {
  await session.run([{ sql: `SET lock_timeout = ${LOCK_MILLISECONDS}` }]);
  try {
    await session.run([{ sql: "VACUUM (FULL) subject_key" }]);
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    return false;
  }
}
