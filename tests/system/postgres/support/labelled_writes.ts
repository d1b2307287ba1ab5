import assert from "node:assert/strict";
import { isGone } from "../../../server/acknowledged_writes.ts";
import type { Client, EventLine } from "../../../support/client.ts";
import { pause } from "../../../support/eventually.ts";
import type { ServerProcess } from "../../../support/server_process.ts";
import type { PairEdition } from "./pair.ts";

/** The longest that a client waits for a server, which may be frozen. */
const IMPATIENT_MILLISECONDS = 1500;
const EVENTS_PER_WRITE = 2;

/** The outcome of a write that a client knows. `unknown`: its commit was sent, and not answered. */
type Told = "acknowledged" | "rejected" | "unknown";

interface Sent {
  readonly name: string;
  /** The server that the write was sent to. */
  readonly server: number;
  told: Told | undefined;
}

/** Writes by several clients. A client goes to the other server when one does not serve it. */
export class LabelledWrites {
  readonly #edition: PairEdition;
  readonly #servers: readonly ServerProcess[];
  readonly #sent: Sent[] = [];
  readonly #answers: Promise<void>[] = [];
  readonly #writers: Promise<void>[];
  #isOver = false;
  /** The time of the last acknowledged write at each server, by `performance.now()`. */
  readonly acknowledgedAt: number[];
  acknowledged = 0;

  constructor(edition: PairEdition, servers: readonly ServerProcess[], clients: number) {
    this.#edition = edition;
    this.#servers = servers;
    this.acknowledgedAt = servers.map(() => 0);
    this.#writers = Array.from({ length: clients }, (_, client) => this.#write(client));
  }

  /** Ends the writing, and waits for pending answers. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#writers);
    await Promise.all(this.#answers);
  }

  /**
   * Asserts that acknowledged writes are there, rejected writes are not, and no write is there in part. Also asserts
   * that no two servers wrote at the same time.
   * @param termsMax how many times a server became the active one
   */
  assertAnswered(events: readonly EventLine[], termsMax: number): void {
    assert.deepEqual(events.map(({ sequence }) => sequence), events.map((_, i) => i + 1), "no gap");
    const stored = Map.groupBy(events, ({ payload }) => payload);
    for (const [name, its] of stored) {
      assert.equal(its.length, EVENTS_PER_WRITE, `half a write: ${name}`);
      assert.equal(its[1]!.sequence, its[0]!.sequence + 1, `torn apart: ${name}`);
    }
    const byName = new Map(this.#sent.map((sent) => [sent.name, sent]));
    for (const [name, { told }] of byName) {
      if (told === "acknowledged") assert.ok(stored.has(name), `acknowledged, but lost: ${name}`);
      if (told === "rejected") assert.ok(!stored.has(name), `rejected, but there: ${name}`);
    }
    const servers = events.map(({ payload }) => byName.get(payload)!.server);
    const terms = servers.filter((server, i) => server !== servers[i - 1]).length;
    assert.ok(terms <= termsMax, `the servers wrote by turns ${terms} times, in ${termsMax} terms`);
  }

  async #write(client: number): Promise<void> {
    let server = client % this.#servers.length;
    for (let i = 0; !this.#isOver; i++) {
      const sent: Sent = { name: `${client}.${i}`, server, told: undefined };
      this.#sent.push(sent);
      const answer = this.#send(sent);
      this.#answers.push(answer);
      await Promise.race([answer, pause(IMPATIENT_MILLISECONDS)]);
      if (sent.told === "acknowledged") continue;
      server = (server + 1) % this.#servers.length;
      await pause(20);
    }
  }

  async #send(sent: Sent): Promise<void> {
    const commit = { isSent: false };
    const client = this.#servers[sent.server]!.client();
    const events = Array.from({ length: EVENTS_PER_WRITE }, () => ({ type: "t", payload: sent.name }));
    try {
      const write = this.#edition === "B" ? writeInTransaction : writeWithTicket;
      sent.told = await write(client, events, commit) ? "acknowledged" : "rejected";
    } catch (error) {
      if (!isGone(error)) throw error;
      sent.told = commit.isSent ? "unknown" : "rejected";
    }
    if (sent.told !== "acknowledged") return;
    this.acknowledged++;
    this.acknowledgedAt[sent.server] = performance.now();
  }
}

type Write = (client: Client, events: unknown, commit: { isSent: boolean }) => Promise<boolean>;

const writeInTransaction: Write = async (client, events, commit) => {
  const begun = await client.request("POST", "/tx");
  if (begun.status !== 200) return false;
  const path = `/tx/${begun.json<{ txId: string }>().txId}`;
  if ((await client.request("QUERY", `${path}/events`, { json: { query: "none" } })).status !== 200) {
    return false;
  }
  if ((await client.request("POST", `${path}/events`, { json: { events } })).status !== 200) return false;
  commit.isSent = true;
  return (await client.request("POST", `${path}/commit`)).status === 204;
};

const writeWithTicket: Write = async (client, events, commit) => {
  const begun = await client.request("POST", "/begin");
  if (begun.status !== 200) return false;
  const headers = { "x-service-ticket": begun.json<{ ticket: string }>().ticket };
  if ((await client.request("POST", "/events", { headers, json: { events } })).status !== 200) return false;
  commit.isSent = true;
  return (await client.request("POST", "/commit", { headers })).status === 204;
};
