import assert from "node:assert/strict";
import { parsePostgresUrl, type PostgresAddress } from "../../../../src/config/postgres_url.ts";
import type { Session } from "../../../../src/store/postgres/protocol/session.ts";
import { primarySource, replicaSource } from "../../../../src/store/postgres/reading/session_source.ts";
import { Primary } from "../../../../src/store/postgres/cluster/primary.ts";
import type { StoreRow } from "../../../../src/store/postgres/tables/state.ts";

const ADDRESS = parsePostgresUrl("postgresql://postgres@127.0.0.1/postgres") as PostgresAddress;
const SCHEMA = "eventstore";
const OLD = "7711/00000001";
const NEW = "7711/00000002";

/** The store after a transaction. */
function rowAt(number: number, timeline = `${NEW}/16384`): StoreRow {
  return {
    storeId: "the store",
    head: number,
    turn: { number, name: `turn ${number}` },
    edition: "A",
    server: "",
    pausedSinceMicros: undefined,
    timeline,
    tableOid: "16384",
    schemaVersion: 2,
  };
}

const sessionOn = (timeline: string): Session => ({ timeline }) as Session;

/** A server that works on the new timeline and has seen two transactions. */
function working(): Primary {
  const primary = new Primary({ address: ADDRESS, schema: SCHEMA }, {
    server: "this server",
    edition: "A",
    isShared: true,
    failover: "verify",
  });
  primary.seen.beginOn(`${NEW}/16384`, rowAt(2));
  return primary;
}

Deno.test("the state that a read of the primary shows is remembered, and a later read must show it too", () => {
  const primary = working();
  const source = primarySource(primary);
  assert.equal(source.expected(), 2);
  assert.equal(source.faultOf(sessionOn(NEW), rowAt(3), 2), undefined);
  assert.equal(primary.seen.last?.turn.name, "turn 3");
  assert.equal(source.expected(), 3);
  assert.equal(source.faultOf(sessionOn(NEW), rowAt(2), 3), "it lacks turns that were committed");
  assert.equal(source.faultOf(sessionOn(NEW), rowAt(3), 3), undefined);
});

Deno.test("a session with a primary that was replaced is no longer read, and its state is not remembered", () => {
  const primary = working();
  const source = primarySource(primary);
  assert.ok(source.isGood(sessionOn(NEW)));
  assert.ok(!source.isGood(sessionOn(OLD)));
  assert.equal(source.faultOf(sessionOn(OLD), rowAt(9), 2), "it was the primary before a failover");
  assert.equal(source.expected(), 2);
});

Deno.test("a session with another primary that was promoted to the same timeline is no longer read", () => {
  const source = primarySource(working());
  const fault = source.faultOf(sessionOn(NEW), rowAt(9, `${NEW}/other`), 2);
  assert.equal(fault, "it is not the primary on which this server works");
  assert.equal(source.expected(), 2);
});

Deno.test("a replica may lag, must follow the primary of this server, and its state is remembered", () => {
  const primary = working();
  const { seen } = primary;
  const source = replicaSource(ADDRESS, SCHEMA, primary);
  const session = sessionOn("");
  const unheard = "the primary is not heard of, and may have been replaced";
  assert.equal(source.faultOf(session, rowAt(1), source.expected()), unheard);
  primary.saw(sessionOn(NEW), rowAt(2));
  assert.equal(source.faultOf(session, rowAt(1), source.expected()), undefined);
  assert.equal(seen.last?.turn.number, 2);
  assert.equal(source.faultOf(session, rowAt(5), source.expected()), undefined);
  assert.equal(seen.last?.turn.number, 5);
  const fault = source.faultOf(session, rowAt(9, `${OLD}/16384`), source.expected());
  assert.equal(fault, "does not follow the primary on which this server works");
  assert.equal(seen.last?.turn.number, 5);
});
