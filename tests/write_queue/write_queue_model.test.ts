import assert from "node:assert/strict";
import fc from "fast-check";
import { Admission } from "../../src/write_queue/admission.ts";
import { WriteQueue } from "../../src/write_queue/write_queue.ts";
import { ApiError, ClientDisconnected } from "../../src/model/errors.ts";
import { FakeWriter, settled, storeOf, writeNamed } from "./fake_writer.ts";

/*
 * The queue takes writes out of its list and runs them together. The reference has every request in one list, as if
 * they ran one by one. From outside both must look the same at every moment.
 */

const WAITING_MAX = 4;

type Step =
  | { readonly kind: "write" | "alone" }
  | { readonly kind: "leave"; readonly who: number }
  | { readonly kind: "end" }
  | { readonly kind: "shutdown" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constant<Step>({ kind: "write" }), weight: 10 },
  { arbitrary: fc.constant<Step>({ kind: "alone" }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant("leave" as const), who: fc.nat({ max: 30 }) }), weight: 4 },
  { arbitrary: fc.constant<Step>({ kind: "end" }), weight: 6 },
  { arbitrary: fc.constant<Step>({ kind: "shutdown" }), weight: 1 },
);

type Outcome = "committed" | "left" | "full" | "shuttingDown";

interface Request {
  /** Counts up in the order of arrival. */
  readonly id: number;
  readonly alone: boolean;
}

/** One list of requests, in the simplest implementation: the first is active, the others wait. */
class Reference {
  readonly outcomes = new Map<number, Outcome>();
  /** Every request that got its turn, in order. */
  readonly ran: number[] = [];
  requests: Request[] = [];
  /** How many of the first ones can no longer be withdrawn, because they have begun together. */
  #begun = 0;
  #closing = false;

  join(request: Request): void {
    if (this.#closing) this.outcomes.set(request.id, "shuttingDown");
    else if (this.requests.length > WAITING_MAX) this.outcomes.set(request.id, "full");
    else this.requests.push(request);
    if (this.#begun === 0) this.#begin();
  }

  leave(id: number): void {
    const index = this.requests.findIndex((request) => request.id === id);
    if (index < this.#begun) return;
    this.requests.splice(index, 1);
    this.outcomes.set(id, "left");
  }

  shutdown(): void {
    this.#closing = true;
    for (const { id } of this.requests.splice(this.#begun)) this.outcomes.set(id, "shuttingDown");
  }

  end(): void {
    for (const { id } of this.requests.splice(0, this.#begun)) this.outcomes.set(id, "committed");
    this.#begin();
  }

  #begin(): void {
    const alone = this.requests.findIndex((request) => request.alone);
    const writes = alone < 0 ? this.requests.length : alone;
    this.#begun = Math.min(Math.max(writes, 1), this.requests.length);
    this.ran.push(...this.requests.slice(0, this.#begun).map(({ id }) => id));
  }
}

/** Drives the queue and the reference with the same steps. */
class Run {
  readonly #writer = new FakeWriter();
  readonly #queue = new WriteQueue({
    store: storeOf(this.#writer),
    waitingMax: WAITING_MAX,
    fullCode: "WriteQueueFull",
  });
  readonly #reference = new Reference();
  readonly #outcomes = new Map<number, Outcome>();
  readonly #clients = new Map<number, AbortController>();
  readonly #ran: number[] = [];
  #endAlone: (() => void) | undefined;
  #groupsSeen = 0;
  #ids = 0;

  async do(step: Step): Promise<void> {
    switch (step.kind) {
      case "write":
      case "alone":
        this.#join({ id: ++this.#ids, alone: step.kind === "alone" });
        break;
      case "leave":
        this.#clients.get(step.who)?.abort();
        this.#reference.leave(step.who);
        break;
      case "end":
        if (this.#reference.requests.length > 0) await this.#end();
        break;
      case "shutdown":
        void this.#queue.shutdown();
        this.#reference.shutdown();
    }
    await settled();
    this.#compare();
  }

  async finish(): Promise<void> {
    while (this.#reference.requests.length > 0) await this.do({ kind: "end" });
    assert.equal(this.#outcomes.size, this.#ids, "every request got an outcome");
    await this.#queue.shutdown();
  }

  #join(request: Request): void {
    const { id, alone } = request;
    const client = new AbortController();
    this.#clients.set(id, client);
    const joining = async (): Promise<unknown> =>
      alone
        ? await this.#queue.alone(new Admission("alone", client.signal), () => this.#runAlone(id))
        : await this.#queue.write(new Admission("write", client.signal), writeNamed(String(id)));
    this.#reference.join(request);
    joining().then(
      () => this.#outcomes.set(id, "committed"),
      (error) => this.#outcomes.set(id, outcomeOf(error)),
    );
  }

  #runAlone(id: number): Promise<void> {
    this.#ran.push(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endAlone = resolve;
    return promise;
  }

  async #end(): Promise<void> {
    this.#reference.end();
    const endAlone = this.#endAlone;
    this.#endAlone = undefined;
    if (endAlone !== undefined) endAlone();
    else await this.#writer.end();
  }

  #compare(): void {
    for (const group of this.#writer.groups.slice(this.#groupsSeen)) this.#ran.push(...group.map(Number));
    this.#groupsSeen = this.#writer.groups.length;
    const [active, ...waiting] = this.#reference.requests.map(({ alone }) => alone ? "alone" : "write");
    assert.equal(this.#queue.active?.kind, active);
    assert.deepEqual(this.#queue.queued.map(({ kind }) => kind), waiting);
    assert.equal(this.#queue.queuedCount, waiting.length);
    assert.deepEqual(sorted(this.#outcomes), sorted(this.#reference.outcomes));
    assert.deepEqual(this.#ran, this.#reference.ran);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ClientDisconnected) return "left";
  if (error instanceof ApiError) return error.code === "WriteQueueFull" ? "full" : "shuttingDown";
  throw error;
}

function sorted(outcomes: ReadonlyMap<number, Outcome>): [number, Outcome][] {
  return [...outcomes].sort(([a], [b]) => a - b);
}

Deno.test("the queue looks like one that runs a request at a time, whatever joins, disconnects and ends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const run = new Run();
      for (const step of steps) await run.do(step);
      await run.finish();
    }),
    { numRuns: 100 },
  );
});
