import type { PostgresAddress } from "../../../../src/config/postgres_url.ts";
import { openSession } from "../../../../src/store/postgres/connection/open_session.ts";
import type { Row } from "../../../../src/store/postgres/protocol/cells.ts";

/** Runs statements one after the other, each for itself. @returns the rows of the last */
export async function runSql(
  address: PostgresAddress,
  statements: readonly string[],
): Promise<readonly Row[]> {
  const session = await openSession({ address, schema: "public" }, "setup");
  try {
    let rows: readonly Row[] = [];
    for (const sql of statements) rows = (await session.run([{ sql }]))[0]!;
    return rows;
  } finally {
    await session.close();
  }
}
