import assert from "node:assert/strict";
import { parsePostgresUrl, type PostgresAddress } from "../../../src/config/postgres_url.ts";
import { CommitFeed } from "../../../src/store/feed/commit_feed.ts";
import { KnownState } from "../../../src/store/postgres/cluster/known_state.ts";
import { initPostgresStore } from "../../../src/store/postgres/connection/create_store.ts";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import { numberIn, textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { WriteOwnership } from "../../../src/store/postgres/cluster/write_ownership.ts";
import type { Session } from "../../../src/store/postgres/protocol/session.ts";
import type { StoreRow } from "../../../src/store/postgres/tables/state.ts";
import { CONFIRMATION } from "../../../src/store/postgres/time_limits.ts";
import { PostgresWriter } from "../../../src/store/postgres/writing/postgres_writer.ts";
import { TransactionRunner } from "../../../src/store/postgres/writing/transaction_runner.ts";
import { WriterSession } from "../../../src/store/postgres/writing/writer_session.ts";
import { WriterState } from "../../../src/store/postgres/writing/writer_state.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { pause } from "../../support/eventually.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { type Failover, failoverTest } from "./support/failover.ts";
import { inTime } from "./support/in_time.ts";

const schema = "eventstore";

function historyTest(name: string, test: (failover: Failover) => Promise<void>): Promise<void> {
  return failoverTest(name, async (failover) => {
    await initPostgresStore(locationOf(failover, 0));
    await test(failover);
  });
}

function locationOf({ hosts }: Failover, host: number): PostgresLocation {
  return { address: hosts[host]!.address(), schema };
}

/** A server without its peer monitor: it has seen only its own work. */
class Member implements AsyncDisposable {
  readonly ownership: WriteOwnership;
  readonly renewals: string[] = [];
  row!: StoreRow;
  turns!: PostgresWriter;

  constructor(readonly location: PostgresLocation) {
    this.ownership = new WriteOwnership(location, { edition: "A", servers: "shared" });
    this.ownership.primary.onRenewed = (reason) => this.renewals.push(reason);
  }

  static async join(location: PostgresLocation): Promise<Member> {
    const member = new Member(location);
    const session = await openPrimary(location, "writing");
    member.row = await member.ownership.take(session);
    const writer = new WriterSession(member.ownership, session);
    const known = new KnownState(member.row.turn.number, new CommitFeed(member.row));
    const state = new WriterState(member.row, known);
    const options = { onBroken: () => {}, onWritten: () => {} };
    member.turns = new PostgresWriter(
      new TransactionRunner(writer, member.ownership, state, options),
      undefined,
    );
    return member;
  }

  /** Checks the history on a session of its own with a host. */
  async check(failover: Failover, host: number): Promise<StoreRow> {
    const session = await openPrimary(locationOf(failover, host), "reading");
    try {
      return await this.ownership.primary.check(session);
    } finally {
      await session.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.turns.close();
  }
}

/** Waits until the replica has all servers and write transactions. */
async function sameOn({ hosts: [primary, replica] }: Failover): Promise<void> {
  const sql =
    `SELECT (SELECT max(number) FROM ${schema}.turn), (SELECT string_agg(name || timeline, ',' ORDER BY name) FROM ${schema}.server), timeline FROM ${schema}.store`;
  await inTime(async () => {
    assert.deepEqual(
      (await replica!.sql(sql)).map((row) => row.map((cell) => cell && textIn(cell))),
      (await primary!.sql(sql)).map((row) => row.map((cell) => cell && textIn(cell))),
    );
  });
}

/**
 * Checks the history on a session with the old primary, so slowly that `work` meanwhile uses the promoted one.
 * @returns what the slow check said
 */
async function checkedSlowly(
  failover: Failover,
  { ownership: { primary } }: Member,
  work: (session: Session) => Promise<void>,
): Promise<string> {
  const old = locationOf(failover, 0);
  await sameOn(failover);
  const slow = await openPrimary(old, "reading");
  await failover.hosts[1]!.sql("SELECT pg_promote()");
  const blocker = await openPrimary(old, "setup");
  await blocker.run([{ sql: "BEGIN" }, { sql: "LOCK TABLE turn IN ACCESS EXCLUSIVE MODE" }]);
  const late = primary.check(slow).then(() => "works", (error: Error) => error.message);
  await pause(200);
  const session = await openPrimary(locationOf(failover, 1), "writing");
  await primary.check(session);
  assert.ok(primary.isCurrent(session));
  await work(session);
  await blocker.run([{ sql: "ROLLBACK" }]);
  const said = await late;
  assert.ok(primary.isCurrent(session), `the server goes on with the promoted one, but its old one: ${said}`);
  for (const each of [slow, blocker, session]) await each.close();
  return said;
}

await historyTest("a slow check does not lead back to a primary that was replaced", async (failover) => {
  await using member = await Member.join(locationOf(failover, 0));
  const said = await checkedSlowly(failover, member, async () => {});
  assert.match(said, /was the primary before a failover/);
  assert.deepEqual(member.renewals, []);
});

await historyTest("a slow check does not give the replaced primary a new store ID", async (failover) => {
  await using member = await Member.join(locationOf(failover, 0));
  const said = await checkedSlowly(failover, member, async (session) => {
    const columns = "number + 1, head, gen_random_uuid()";
    await session.run([{ sql: `INSERT INTO turn SELECT ${columns} FROM turn ORDER BY number DESC LIMIT 1` }]);
    // The server sees that row in this check, as in each read or write there.
    await member.ownership.primary.check(session);
  });
  assert.deepEqual(member.renewals, [], said);
});

await historyTest(
  "a write transaction whose outcome was queried is remembered before it is acknowledged",
  async (failover) => {
    const [old, promoted] = failover.hosts;
    await old!.sql(
      "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$",
      `CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON ${schema}.turn DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`,
    );
    await using proxy = new CuttingProxy(old!.port);
    const url = `postgresql://postgres@127.0.0.1:${proxy.port},127.0.0.1:${promoted!.port}/postgres`;
    await using member = await Member.join({ address: parsePostgresUrl(url) as PostgresAddress, schema });
    await sameOn(failover);
    await failover.stall(1);
    proxy.cutAt("acknowledged-type", { lastArrives: true });
    const [outcome] = await member.turns.group([ofTypes("acknowledged-type")]);
    assert.equal(proxy.cuts, 1);
    assert.equal(outcome!.kind, "done");
    await failover.promote(1);
    const before = member.row.storeId;
    const row = await member.check(failover, 1);
    assert.equal(row.head, 0, "the acknowledged event is lost");
    assert.notEqual(row.storeId, before, "which is told");
  },
);

await historyTest("time in which no server could confirm does not count as waiting", async (failover) => {
  const [, promoted] = failover.hosts;
  await using one = await Member.join(locationOf(failover, 0));
  await using other = await Member.join(locationOf(failover, 0));
  await sameOn(failover);
  await failover.promote(1);
  await assert.rejects(one.check(failover, 1), /have not yet confirmed/);
  await promoted!.end("SIGKILL");
  await pause(CONFIRMATION + 1000);
  await promoted!.run();
  await one.check(failover, 1).catch(() => {});
  await other.check(failover, 1).catch(() => {});
  await one.check(failover, 1);
  assert.deepEqual([...one.renewals, ...other.renewals], []);
});

await historyTest(
  "a server whose registration is lost confirms to others what it has seen",
  async (failover) => {
    await using one = await Member.join(locationOf(failover, 0));
    await sameOn(failover);
    await failover.stall(1);
    await using other = await Member.join(locationOf(failover, 0));
    one.ownership.primary.seen.others.add(other.ownership.server);
    await failover.promote(1);
    await Promise.all([one, other].map((each) => inTime(async () => void await each.check(failover, 1))));
    assert.deepEqual([...one.renewals, ...other.renewals], []);
  },
);

await historyTest("a rollback of the disk behind a new store ID is noticed", async (failover) => {
  const [old] = failover.hosts;
  await using member = await Member.join(locationOf(failover, 0));
  const [before] = await old!.sql(`SELECT id FROM ${schema}.store`);
  assert.equal((await member.turns.reset()).kind, "done");
  const [turn] = await old!.sql(`SELECT max(number) FROM ${schema}.turn`);
  // The rows of an earlier state of the disk.
  await old!.sql(
    `DELETE FROM ${schema}.turn WHERE number = ${numberIn(turn![0])}`,
    `UPDATE ${schema}.store SET id = '${textIn(before![0])}'`,
  );
  const row = await member.check(failover, 0);
  assert.ok(
    row.turn.number >= member.ownership.primary.seen.last!.turn.number,
    "otherwise every read of it is rejected, for good",
  );
  assert.equal(member.renewals.length, 1);
});
