import { readChain } from "../../store/sqlite/backup/chained_backup.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { HashChain, isSameChain } from "./hash_chain.ts";

/** Compares the events of a backup with the hash chain that an earlier version of the program kept instead of a tree. */
export class OldChainCheck {
  readonly #stored: Uint8Array;
  readonly #chain = new HashChain();
  #events = 0;

  constructor(db: Database) {
    this.#stored = readChain(db);
  }

  /** @param line with its line feed */
  add(line: string): void {
    this.#chain.add(line);
    this.#events++;
  }

  /** Returns the difference after the last event, if there is one. */
  fault(): string | undefined {
    if (isSameChain(this.#chain.value, this.#stored)) return undefined;
    return `the hash chain differs: at least one of events 1 to ${this.#events} is not what was copied`;
  }
}
