import { getProjection, pathOf } from "./projections.ts";
import { fromPayload } from "./projector.ts";
import type { Server } from "./server.ts";

/** The rows that were used last are kept in memory. */
const KEPT_MAX = 10_000;

/** The most keys of other rows that are kept in memory. */
const KEYS_MAX = 200_000;

/** The most rows that are read at once. */
const READS_MAX = 16;

/** A row of a projector. */
export interface Row<State> {
  /** undefined: the row does not exist. */
  version?: string | undefined;
  state?: State | undefined;
}

/** The rows of a projector as they are stored, as long as no other copy of it writes them. */
export class KeptRows<State> {
  readonly #server: Server;
  readonly #type: string;
  /** The row that was used last is the last one. */
  readonly #rows = new Map<string, Row<State>>();
  /** The keys of all other rows that may exist; undefined: any may. So a new row need not be looked for. */
  #others: Set<string> | undefined;

  /** @param isNew true if no row exists yet */
  constructor(server: Server, type: string, isNew: boolean) {
    this.#server = server;
    this.#type = type;
    this.#others = isNew ? new Set() : undefined;
  }

  /** Returns the rows of these keys, and forgets those that were not used for the longest time. */
  async take(keys: ReadonlySet<string>, signal: AbortSignal | undefined): Promise<Map<string, Row<State>>> {
    const taken = new Map<string, Row<State>>();
    const missing: string[] = [];
    for (const key of keys) {
      const row = this.#rows.get(key) ?? {};
      if (!this.#rows.delete(key) && this.#others?.delete(key) !== false) missing.push(key);
      taken.set(key, row);
      this.#rows.set(key, row);
    }
    for (let i = 0; i < missing.length; i += READS_MAX) {
      await Promise.all(
        missing.slice(i, i + READS_MAX).map(async (key) => {
          const found = await getProjection(this.#server, pathOf(this.#type, key), { signal });
          if (!found) return;
          Object.assign(taken.get(key)!, {
            version: found.version,
            state: fromPayload<State>(this.#server, found.payload),
          });
        }),
      );
    }
    for (const key of this.#rows.keys()) {
      if (this.#rows.size <= KEPT_MAX) break;
      this.#rows.delete(key);
      this.#others?.add(key);
    }
    if (this.#others && this.#others.size > KEYS_MAX) this.#others = undefined;
    return taken;
  }
}
