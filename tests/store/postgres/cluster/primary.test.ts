import assert from "node:assert/strict";
import type { Cell, Row } from "../../../../src/store/postgres/protocol/cells.ts";
import type { Session, Statement } from "../../../../src/store/postgres/protocol/session.ts";
import { Primary } from "../../../../src/store/postgres/cluster/primary.ts";
import type { CountedState } from "../../../../src/store/postgres/tables/state.ts";

const SERVER = "this server";
const OLD = "7711/00000001/5";
const NEW = "7711/00000002/5";
const TABLE = "16384";
const STORE = "the store";

const text = (value: string | undefined): Cell =>
  value === undefined ? null : new TextEncoder().encode(value);
const number = (value: number): Cell => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, BigInt(value));
  return new Uint8Array(view.buffer);
};
const boolean = (value: boolean): Cell => new Uint8Array([Number(value)]);

/** A PostgreSQL with these transactions. The last one is the state of the store. */
class Database {
  storeId = STORE;
  recorded: string | undefined = `${OLD}/${TABLE}/first`;
  /** The names of the transactions, from number 1. Each has written one event. */
  turns: string[];
  /** The timeline that each server has confirmed last, by name. */
  servers = new Map([[SERVER, ""]]);
  /** The transaction of a renewal, which is later than all others. */
  #renewal: { readonly number: number; readonly name: string } | undefined;
  /** The statements that were executed as writes. */
  readonly written: Statement[] = [];
  /** Called before a batch is answered, when its content is certain. */
  whileAsking: () => void = () => {};

  constructor(...turns: string[]) {
    this.turns = turns;
  }

  session(timeline: string): Session {
    const run = (statements: readonly Statement[]): Promise<Row[][]> => {
      const rows = statements.map((statement) => this.#rows(statement));
      this.whileAsking();
      return Promise.resolve(rows);
    };
    const [close, rollback] = [() => Promise.resolve(), () => Promise.resolve()];
    return { timeline, isOpen: true, run, close, rollback } as unknown as Session;
  }

  state(turn: number): CountedState {
    return { storeId: this.storeId, head: turn, turn: { number: turn, name: this.turns[turn - 1]! } };
  }

  #rows({ sql, params = [] }: Statement): Row[] {
    const last = this.turns.length;
    if (sql.startsWith("SELECT s.id")) {
      const { number: turnNumber, name } = this.#renewal ?? { number: last, name: this.turns[last - 1] };
      const turn = [number(last), number(turnNumber), text(name)];
      const owner = [text("A"), text(""), null, text(this.recorded), text(TABLE)];
      return [[text(this.storeId), ...turn, ...owner, number(2)]];
    }
    if (sql.includes("SELECT name::text FROM turn")) {
      return [[number(1), text(this.turns[Number(params[0]) - 1])]];
    }
    if (sql.includes("FROM server")) {
      return [...this.servers].map(([name, timeline]) => [
        ...[text(name), text("A"), number(0), boolean(true), text(timeline), boolean(true)],
      ]);
    }
    if (/^(UPDATE|INSERT)/.test(sql)) this.written.push({ sql, params });
    if (sql.startsWith("INSERT INTO turn")) {
      this.#renewal = { number: Number(params[0]), name: String(params[2]) };
    }
    if (sql.startsWith("UPDATE store SET id")) this.storeId = String(params[0]);
    if (sql.startsWith("UPDATE store SET timeline")) this.recorded = String(params[0]);
    return [];
  }
}

function primary(): Primary {
  const server = { transport: "tcp", hostname: "127.0.0.1", port: 1, tls: undefined } as const;
  const address = { server, user: "u", password: undefined, database: "d" };
  return new Primary({ address, schema: "s" }, {
    server: SERVER,
    edition: "A",
    isShared: true,
    failover: "verify",
  });
}

/** A server that has worked on the first transactions of a database. */
async function working(database: Database): Promise<{ primary: Primary; renewals: string[] }> {
  const own = primary();
  const renewals: string[] = [];
  own.onRenewed = (reason) => renewals.push(reason);
  await own.check(database.session(OLD));
  return { primary: own, renewals };
}

Deno.test("a transaction that is acknowledged during the check of the history is not missing from the answer", async () => {
  const database = new Database("a", "b");
  const { primary, renewals } = await working(database);
  const session = database.session(OLD);
  database.whileAsking = () => {
    database.turns.push("c");
    primary.saw(session, database.state(3));
    database.whileAsking = () => {};
  };
  await primary.check(session);
  assert.deepEqual([renewals, database.written], [[], []]);
  assert.equal(primary.seen.last?.turn.name, "c");
});

Deno.test("a transaction that the old primary acknowledges during the check of the new one makes the history another one", async () => {
  const [before, after] = [new Database("a", "b"), new Database("a", "b")];
  const { primary, renewals } = await working(before);
  after.whileAsking = () => {
    before.turns.push("c");
    primary.saw(before.session(OLD), before.state(3));
    after.whileAsking = () => {};
  };
  const { storeId } = await primary.check(after.session(NEW));
  assert.equal(renewals.length, 1);
  assert.notEqual(storeId, STORE);
  assert.throws(
    () => primary.saw(before.session(OLD), before.state(3)),
    /is not the primary on which this server works/,
  );
});

Deno.test("the history is whole after a failover when the last transaction that was seen is there", async () => {
  const [before, after] = [new Database("a", "b"), new Database("a", "b", "c")];
  const { primary, renewals } = await working(before);
  const { storeId, timeline } = await primary.check(after.session(NEW));
  assert.deepEqual([storeId, renewals], [STORE, []]);
  assert.ok(timeline?.startsWith(`${NEW}/${TABLE}/`));
  assert.ok(primary.isCurrent(after.session(NEW)));
  assert.ok(!primary.isCurrent(before.session(OLD)));
});

Deno.test("a transaction with the same number is not the one that was seen, and a renewed history is later than all", async () => {
  const [before, after] = [new Database("a", "b", "c"), new Database("a", "b", "other", "more")];
  const { primary, renewals } = await working(before);
  after.recorded = `${NEW}/${TABLE}/second`;
  const { turn, head } = await primary.check(after.session(NEW));
  assert.equal(renewals.length, 1);
  assert.equal(head, 4, "the events that are there stay");
  assert.ok(turn.number > 1_000_000_000);
});

Deno.test("of two replicas that were promoted to the same timeline, only the chosen one is current", async () => {
  const [before, first, second] = [new Database("a"), new Database("a"), new Database("a")];
  const { primary, renewals } = await working(before);
  const one = await primary.check(first.session(NEW));
  first.turns.push("b");
  primary.saw(first.session(NEW), { ...first.state(2), timeline: one.timeline });
  const other = await primary.check(second.session(NEW));
  assert.equal(renewals.length, 1, "it lacks what was seen on the first");
  assert.notEqual(other.timeline, one.timeline);
  const late = { ...first.state(2), timeline: one.timeline };
  assert.throws(() => primary.saw(first.session(NEW), late), /is not the primary on which this server works/);
});

Deno.test("the server waits for others, both known ones and those that have a row", async () => {
  for (const isRegistered of [true, false]) {
    const [before, after] = [new Database("a"), new Database("a")];
    const { primary, renewals } = await working(before);
    if (isRegistered) after.servers.set("another", "");
    else primary.seen.others.add("another");
    await assert.rejects(primary.check(after.session(NEW)), /1 of the other servers have not yet confirmed/);
    after.servers.set("another", `${NEW}/${TABLE}`);
    assert.equal((await primary.check(after.session(NEW))).storeId, STORE);
    assert.deepEqual(renewals, []);
  }
});

Deno.test("a server does not confirm a database that does not know it", async () => {
  const [before, after] = [new Database("a"), new Database("a")];
  const { primary } = await working(before);
  after.servers.clear();
  await assert.rejects(primary.check(after.session(NEW)), /whether another server knows the history/);
});
