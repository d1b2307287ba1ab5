import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "./client.ts";
import { eventually } from "./eventually.ts";
import { psql, psqlBeside } from "./psql.ts";
import type { ServerProcess } from "./server_process.ts";
import { schemaOf, testsPostgres } from "./test_storage.ts";

export interface DebugSnapshot {
  readonly time: string;
  readonly write: {
    readonly active: null | { readonly kind: string; readonly since: string; readonly ageSeconds: number };
    readonly queued: readonly {
      readonly kind: string;
      readonly queuedAt: string;
      readonly waitSeconds: number;
    }[];
    readonly httpOpen: number;
    readonly sqliteInUse: number;
    readonly sqliteMax: number;
  };
  readonly read: {
    readonly httpOpen: number;
    readonly waiting: number;
    readonly sqliteInUse: number;
    readonly sqliteMax: number;
  };
}

/**
 * Keeps the holder of the write lock from continuing, by locking the database from outside. The server waits for the
 * database up to its busy timeout of 5 s, so release within 4 s.
 */
export function holdWriteLock(server: ServerProcess): HeldWriteLock {
  return testsPostgres() ? new HeldRow(schemaOf(server.dataDir)) : new HeldFile(server.databasePath);
}

/** Held until it is released. A second release does nothing. */
export interface HeldWriteLock extends Disposable {
  release(): void;
}

/** Holds the row that every write transaction locks first. */
class HeldRow implements HeldWriteLock {
  readonly #schema: string;
  #isHeld = true;

  constructor(schema: string) {
    this.#schema = schema;
    psqlBeside(`SELECT FROM ${schema}.store FOR UPDATE; SELECT pg_sleep(60)`);
    // Until no other session can lock it.
    untilAnswered(`SELECT id FROM ${schema}.store FOR UPDATE SKIP LOCKED`, "");
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const end = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE query LIKE '%FROM ${this.#schema}.store%pg_sleep(60)' AND pid <> pg_backend_pid()`;
    // Until its session is gone.
    untilAnswered(end, "0");
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

function untilAnswered(sql: string, answer: string): void {
  const deadline = performance.now() + 20_000;
  while (psql(sql) !== answer) assert.ok(performance.now() < deadline, `no longer than 20 s: ${sql}`);
}

class HeldFile implements HeldWriteLock {
  readonly #database: DatabaseSync;
  #held = true;

  constructor(databasePath: string) {
    this.#database = new DatabaseSync(databasePath, { timeout: 2000 });
    this.#database.exec("BEGIN IMMEDIATE");
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#database.exec("ROLLBACK");
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

export async function debugSnapshot(client: Client): Promise<DebugSnapshot> {
  const reply = await client.request("GET", "/debug");
  assert.equal(reply.status, 200, reply.text);
  return reply.json<DebugSnapshot>();
}

/** Waits until one request has the turn, and exactly so many requests are queued. */
export async function waitForQueue(client: Client, queued: number): Promise<void> {
  await eventually(async () => {
    const { write } = await debugSnapshot(client);
    assert.notEqual(write.active, null, "no request has the turn");
    assert.equal(write.queued.length, queued, "requests that wait for the turn");
  });
}
