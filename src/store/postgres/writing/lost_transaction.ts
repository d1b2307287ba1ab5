import type { Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { writeSeen } from "../tables/servers.ts";
import { LOCK_STORE } from "../tables/state.ts";
import { type LastTransaction, presenceOf, readTurn } from "../tables/turns.ts";

/** How often it is asked what became of a COMMIT. Each time, it waits for what may still be going on. */
const ASKED_MAX = 2;

/** Who asks: see `WriterSession` and `WriteOwnership`. */
export interface Asking {
  readonly ask: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
  readonly server: string;
  readonly edition: string;
}

/**
 * Whether a turn was committed to whose COMMIT the answer was lost. To lock the store waits for whatever the lost connection
 * still does, so the answer is the truth, after a failover too.
 * @returns undefined when that cannot be determined
 */
export async function wasCommitted(
  turn: LastTransaction,
  { ask, server, edition }: Asking,
): Promise<boolean | undefined> {
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    try {
      const [, , , rows] = await ask([
        // An earlier try may have left its transaction open.
        { sql: "ROLLBACK" },
        { sql: "BEGIN" },
        LOCK_STORE,
        readTurn(turn.number),
        // With a write, this COMMIT waits for a synchronous replica, which confirms all before it: thus the turn.
        writeSeen(server, edition),
        { sql: "COMMIT" },
      ]);
      const presence = presenceOf(turn, rows!);
      return presence === "forgotten" ? undefined : presence === "present";
    } catch {
      // The next time may be better.
    }
  }
  return undefined;
}
