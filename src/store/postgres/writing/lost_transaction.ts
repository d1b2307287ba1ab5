import type { Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { writeSeen } from "../tables/servers.ts";
import { LOCK_STORE } from "../tables/state.ts";
import { type LastTransaction, presenceOf, readTurn } from "../tables/turns.ts";

/** How often the server asks for the outcome of a COMMIT. Each question waits for transactions in progress. */
const ASKED_MAX = 2;

/** The server that asks: see `WriterSession` and `WriteOwnership`. */
export interface Asking {
  readonly ask: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  readonly server: string;
  readonly edition: string;
}

/**
 * Determines whether a write transaction was committed, when the answer to its COMMIT was lost. Locking the store
 * waits for everything that the lost connection still does. So the answer is correct, after a failover too.
 * @returns undefined when that cannot be determined
 */
export async function wasCommitted(
  turn: LastTransaction,
  { ask, server, edition }: Asking,
): Promise<boolean | undefined> {
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    try {
      const [, , , rows] = await ask([
        // An earlier attempt may have left its transaction open.
        { sql: "ROLLBACK" },
        { sql: "BEGIN" },
        LOCK_STORE,
        readTurn(turn.number),
        // With a write, this COMMIT waits for a synchronous replica. The replica confirms all earlier commits with
        // it.
        writeSeen(server, edition),
        { sql: "COMMIT" },
      ]);
      const presence = presenceOf(turn, rows!);
      return presence === "forgotten" ? undefined : presence === "present";
    } catch {
      // The next attempt may succeed.
    }
  }
  return undefined;
}
