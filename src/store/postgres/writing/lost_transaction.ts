import type { WriteOwnership } from "../cluster/write_ownership.ts";
import { answerWithin } from "../connection/lost_commit.ts";
import { writeSeen } from "../tables/servers.ts";
import { LOCK_STORE } from "../tables/state.ts";
import { type LastTransaction, presenceOf, readTurn, type TransactionPresence } from "../tables/turns.ts";

/** How long the server asks for the outcome of a COMMIT. Each question waits for transactions in progress. */
const ASKED_MILLISECONDS = 20_000;

/**
 * Determines whether a write transaction was committed, when the answer to its COMMIT was lost. Locking the store
 * waits for everything that the lost connection still does. So the answer is correct, after a failover too, even if
 * this server may not write any more.
 * @returns undefined when that cannot be determined
 */
export async function wasCommitted(
  turn: LastTransaction,
  ownership: WriteOwnership,
): Promise<boolean | undefined> {
  const presence = await answerWithin(ASKED_MILLISECONDS, () => presenceNow(turn, ownership));
  return presence === undefined || presence === "forgotten" ? undefined : presence === "present";
}

async function presenceNow(
  turn: LastTransaction,
  { primary, server, edition }: WriteOwnership,
): Promise<TransactionPresence> {
  const session = await primary.open("writing");
  try {
    const [, , rows] = await session.run([
      { sql: "BEGIN" },
      LOCK_STORE,
      readTurn(turn.number),
      // With a write, this COMMIT waits for a synchronous replica. The replica confirms all earlier commits with it.
      writeSeen(server, edition),
      { sql: "COMMIT" },
    ]);
    return presenceOf(turn, rows!);
  } finally {
    await session.close();
  }
}
