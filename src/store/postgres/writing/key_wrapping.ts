import type { StoreNotice } from "../../api/store.ts";
import { type MasterKeys, wrappedText } from "../../core/sealing/master_keys.ts";
import type { Primary } from "../cluster/primary.ts";
import type { WriteOwnership } from "../cluster/write_ownership.ts";
import { booleanIn, numberIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { LOCK_STORE } from "../tables/state.ts";
import {
  countKeys,
  markRewrite,
  READ_REWRITE,
  readStoredKeys,
  replaceKeys,
  type StoredKey,
  storedKeys,
} from "../tables/subjects.ts";
import { rewriteKeys } from "./key_vacuum.ts";

/** The pause after an error, or while another transaction uses the table for long. */
const RETRY_MILLISECONDS = 5000;

const OWNS_TABLE =
  "SELECT pg_has_role(relowner, 'USAGE') FROM pg_catalog.pg_class WHERE oid = 'subject_key'::regclass";

/**
 * Wraps the keys of a store with the first master key when this server has opened it, if some are not. It does so in
 * parts, on a connection of its own. Then it writes the table anew, so that its file has no byte of the former ones.
 */
export class KeyWrapping {
  readonly #primary: Primary;
  readonly #masters: MasterKeys | undefined;
  readonly #report: (notice: StoreNotice) => void;
  #running: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #session: Session | undefined;
  #isClosed = false;

  constructor(
    { primary, masters }: Pick<WriteOwnership, "primary" | "masters">,
    report: (notice: StoreNotice) => void,
  ) {
    this.#primary = primary;
    this.#masters = masters;
    this.#report = report;
  }

  start(): void {
    if (this.#masters?.first === undefined || this.#isClosed) return;
    const { first } = this.#masters;
    this.#running = this.#run(this.#masters, first).catch((error: Error) => {
      if (error instanceof SessionLost || error instanceof DatabaseError) return this.#startLater();
      const reason = `not all keys of subjects are wrapped: ${error.message}`;
      this.#report({ kind: "keysWrapped", reason });
    });
  }

  /** The next server that opens the store does the rest. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#session?.close();
    await this.#running;
  }

  #startLater(): void {
    if (!this.#isClosed) this.#retry = setTimeout(() => this.start(), RETRY_MILLISECONDS);
  }

  async #run(masters: MasterKeys, first: string): Promise<void> {
    const session = this.#session = await this.#primary.open("setup");
    try {
      if (this.#isClosed) return;
      const [before, mark] = await session.run([countKeys(first), READ_REWRITE]);
      if (numberIn(before![0]![1]) === 0 && !booleanIn(mark![0]![0])) return;
      await session.run([markRewrite(true)]);
      await wrapAll(session, masters);
      const [owner] = await session.run([{ sql: OWNS_TABLE }]);
      const isOwner = booleanIn(owner![0]![0]);
      if (isOwner && !await rewriteKeys(session)) return this.#startLater();
      const [, counts] = await session.run([markRewrite(false), countKeys(first)]);
      this.#report({ kind: "keysWrapped", reason: resultText(first, counts![0]!.map(numberIn), isOwner) });
    } finally {
      await session.close();
    }
  }
}

async function wrapAll(session: Session, masters: MasterKeys): Promise<void> {
  for (let after = "";;) {
    const [rows] = await session.run([readStoredKeys(after)]);
    const keys = storedKeys(rows!);
    if (keys.length === 0) return;
    after = keys.at(-1)!.id;
    const changed = keys.flatMap(({ id, stored }): StoredKey[] => {
      const wrapped = masters.rewrapped(id, stored);
      return wrapped === undefined ? [] : [{ id, stored: wrapped }];
    });
    if (changed.length === 0) continue;
    // The lock keeps this from a deadlock with a write that forgets several subjects.
    await session.run([{ sql: "BEGIN" }, LOCK_STORE, replaceKeys(changed), { sql: "COMMIT" }]);
  }
}

/** @param others how many keys another server has wrapped with another master key meanwhile */
function resultText(first: string, [keys, others]: readonly number[], isOwner: boolean): string {
  if (others! > 0) {
    return `not all keys of subjects are wrapped: another server has wrapped ${others} of ${keys} with a master key ` +
      `other than ${first}`;
  }
  const text = wrappedText(keys!, first);
  return isOwner ? text : `${text}, once the owner of subject_key has run VACUUM (FULL) on it`;
}
