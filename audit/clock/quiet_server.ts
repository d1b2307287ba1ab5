import { appendAs } from "../../tests/editions/append_as.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { debugSnapshot, holdWriteLock, waitForQueue } from "../../tests/support/held_write_lock.ts";
import { metrics } from "../../tests/support/metrics.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext } from "../report.ts";

/** An idle transaction ends after this time, and not before. */
const DEADLINE_SECONDS = 2;

const TIMEOUT_SECONDS = 60;

/** The server looks for idle transactions once a second, and a busy machine may be late with that. */
const LATE_SECONDS_MAX = 10;

/** How far a measured time may be off, besides the duration of the requests that measure it. */
const TOLERANCE_SECONDS = 0.2;

const EVENT = { type: "t", payload: "" };

/**
 * A server without load, next to the server with all the load. For this server the audit knows how old everything is,
 * and when it must end.
 */
export class QuietServer implements AsyncDisposable {
  readonly #edition: CheckContext["edition"];
  readonly #server: ServerProcess;

  private constructor(edition: CheckContext["edition"], server: ServerProcess) {
    this.#edition = edition;
    this.#server = server;
  }

  static async start(
    edition: CheckContext["edition"],
    directory: string,
    env: Readonly<Record<string, string>>,
  ): Promise<QuietServer> {
    const deadlines = {
      SERVICE_TX_IDLE_TIMEOUT: String(DEADLINE_SECONDS),
      SERVICE_TRANSACTION_TIMEOUT: String(DEADLINE_SECONDS),
    };
    const options = { listen: "unix", listenOnly: true } as const;
    return new QuietServer(
      edition,
      await startServer({ ...options, directory, env: { ...env, SERVICE_EDITION: edition, ...deadlines } }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** @throws AuditFailure when ages or deadlines depend on a clock that jumps meanwhile */
  async assertStays(jump: () => void): Promise<void> {
    if (this.#edition === "C") await this.#ticketStays(jump);
    else await this.#writesStay(jump);
  }

  /** One write holds the write lock, another one waits, and in edition B a transaction is idle. */
  async #writesStay(jump: () => void): Promise<void> {
    const client = this.#server.client();
    const startedAt = performance.now();
    const isB = this.#edition === "B";
    if (isB) await client.request("POST", "/tx");
    const begunAt = performance.now();
    const writes: Promise<number>[] = [];
    {
      using _held = holdWriteLock(this.#server);
      for (let queued = 0; queued < 2; queued++) {
        writes.push(appendAs(isB ? "B" : "A", client, EVENT));
        await waitForQueue(client, queued);
      }
      await this.#assertAges(startedAt, jump);
    }
    const statuses = await Promise.all(writes);
    if (statuses.some((status) => status !== (isB ? 204 : 200))) {
      throw new AuditFailure("writes during a jump", [`they were answered ${statuses.join()}`]);
    }
    if (!isB) return;
    await eventually(async () => {
      const { transactions } = (await client.request("GET", "/debug")).json<
        { transactions: { open: number } }
      >();
      if (transactions.open > 0) {
        throw new AuditFailure("a transaction that is left alone", ["it stays open"]);
      }
    }, TIMEOUT_SECONDS);
    assertInTime(begunAt);
  }

  /** One transaction is idle, and another one waits for its turn. */
  async #ticketStays(jump: () => void): Promise<void> {
    const client = this.#server.client();
    const startedAt = performance.now();
    await client.request("POST", "/begin");
    const begunAt = performance.now();
    const next = client.request("POST", "/begin");
    await waitForQueue(client, 1);
    await this.#assertAges(startedAt, jump);
    const reply = await next;
    if (reply.status !== 200) {
      throw new AuditFailure("a transaction that waits during a jump", [`it was answered ${reply.status}`]);
    }
    assertInTime(begunAt);
    const headers = { "x-service-ticket": reply.json<{ ticket: string }>().ticket };
    await client.request("POST", "/rollback", { headers });
  }

  /** @param startedAt a time before the active write and the waiting one began */
  async #assertAges(startedAt: number, jump: () => void): Promise<void> {
    const client = this.#server.client();
    const waitingSince = performance.now();
    jump();
    const askedAt = performance.now();
    const { write } = await debugSnapshot(client);
    const longest = (await metrics(client)).get("service_queue_longest_wait_seconds");
    const seconds = {
      "write.active.ageSeconds": write.active?.ageSeconds,
      "write.queued[0].waitSeconds": write.queued[0]?.waitSeconds,
      service_queue_longest_wait_seconds: longest,
    };
    const least = (askedAt - waitingSince) / 1000 - TOLERANCE_SECONDS;
    const most = (performance.now() - startedAt) / 1000 + TOLERANCE_SECONDS;
    const faults = Object.entries(seconds).flatMap(([name, age = NaN]) =>
      age >= least && age <= most ? [] : [`${name} is ${age}, not from ${least} to ${most}`]
    );
    if (faults.length > 0) throw new AuditFailure("ages after a jump", faults);
  }
}

/** @throws AuditFailure when the work that began then has not ended at its deadline */
function assertInTime(begunAt: number): void {
  const seconds = (performance.now() - begunAt) / 1000;
  const isEarly = seconds < DEADLINE_SECONDS - TOLERANCE_SECONDS;
  if (isEarly || seconds > DEADLINE_SECONDS + LATE_SECONDS_MAX) {
    throw new AuditFailure("a transaction that is left alone", [`it has ended after ${seconds} s`]);
  }
}
