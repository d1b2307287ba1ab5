import type { PostgresAddress } from "../../../../src/config/postgres_url.ts";
import type { Row } from "../../../../src/store/postgres/protocol/cells.ts";
import { Session } from "../../../../src/store/postgres/protocol/session.ts";

/** The time that a statement of a test may take. */
const SILENCE_MILLISECONDS = 3_600_000;

/**
 * Runs statements one after the other, each in its own transaction, on a primary or a replica.
 * @returns the rows of the last
 */
export async function runSql(
  address: PostgresAddress,
  statements: readonly string[],
): Promise<readonly Row[]> {
  const session = await Session.open(address, { parameters: {}, silenceMilliseconds: SILENCE_MILLISECONDS });
  try {
    let last: readonly Row[] = [];
    for (const sql of statements) last = (await session.run([{ sql }]))[0]!;
    return last;
  } finally {
    await session.close();
  }
}
