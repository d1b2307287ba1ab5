import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import {
  ConnectionLost,
  type DecisionModel,
  type EventStoreError,
  type Followed,
  StoreReset,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from "../../client/mod.ts";
import { ownError, type ScriptedAnswer, ScriptedTransport } from "./faulty_transport.ts";
import { listed, note, type SchoolEvents, storeOver } from "./support.ts";

/*
 * A failover has lost events, and the store still has its ID. The client detects it when a page ends before the
 * position of the client.
 */

const ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

const noted: DecisionModel<SchoolEvents, readonly string[]> = {
  query: { types: ["Noted"] },
  initial: [],
  apply: (texts, event) => event.type === "Noted" ? [...texts, event.payload.text] : texts,
};

/** More requests than any test needs: a reader that repeats its read without end must fail instead of hanging. */
const REQUESTS_MAX = 30;

/** A store of one server whose history a test cuts off. It stores one projection, which is not cut off. */
class CutStore implements Transport {
  readonly requests: TransportRequest[] = [];
  texts: string[] = [];
  projection: string | undefined;
  #version = 0;
  /** Answers instead of the store when it returns an answer. */
  instead: (request: TransportRequest) => ScriptedAnswer | undefined = () => undefined;

  async send(request: TransportRequest): Promise<TransportReply> {
    this.requests.push(request);
    // A request takes time.
    await delay(1);
    const answer = this.requests.length > REQUESTS_MAX
      ? ownError(400, "InvalidRequest")
      : this.instead(request) ?? this.#answer(request);
    return await new ScriptedTransport(answer).send(request);
  }

  bodies(path: string): Record<string, unknown>[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body!));
  }

  #answer({ path, body }: TransportRequest): ScriptedAnswer {
    const asked = JSON.parse(body ?? "{}");
    const headers = { "x-service-store": ID, "x-service-head": String(this.texts.length) };
    if (path === "/events") {
      const { afterSequence, beforeSequence = Infinity, backwards, limit = Infinity } = asked;
      const all = this.texts.map((text, i) => ({ ...wireNote(text), sequence: i + 1 }));
      const found = all.filter(({ sequence }) => afterSequence < sequence && sequence < beforeSequence);
      const events = (backwards ? found.reverse() : found).slice(0, limit);
      return page([...events, { hasMore: found.length > events.length }], headers);
    }
    if (path === "/write") {
      const { projections, events } = asked;
      if (projections === undefined) {
        for (const { payload } of events) this.texts.push(JSON.parse(payload).text);
      } else {
        const { create = [], replace = [] } = projections;
        const [one] = [...create, ...replace];
        if (one.version !== (this.projection && `v${this.#version}`)) {
          return ownError(409, "ConcurrencyException");
        }
        this.projection = one.payload;
        this.#version++;
      }
      const versions = [{ version: `v${this.#version}` }];
      const written = events.map((_: unknown, i: number) => ({ sequence: this.texts.length + i, time: "" }));
      return page([{ events: written, projections: { create: versions, replace: [] } }], headers);
    }
    if (this.projection === undefined) return ownError(404, "ProjectionNotFound");
    return {
      status: 200,
      body: this.projection,
      headers: { ...headers, "x-service-version": `v${this.#version}` },
    };
  }
}

function wireNote(text: string): object {
  return { time: "", type: "Noted", identifiers: {}, metadata: {}, payload: JSON.stringify({ text }) };
}

function page(lines: readonly unknown[], headers: Record<string, string>): ScriptedAnswer {
  return { status: 200, body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""), headers };
}

function isReset(sequence: number): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreReset, String(error));
    assert.deepEqual([error.position, error.storeId], [{ storeId: ID, sequence }, ID]);
    assert.match(error.message, /ends before sequence \d+: it has lost events/);
    return true;
  };
}

Deno.test("a position beyond the end of its store is void; a number may be there", async () => {
  const cut = new CutStore();
  cut.texts = ["1", "2"];
  const store = storeOver(cut);
  const position = { storeId: ID, sequence: 3 };
  await assert.rejects(store.read("*", { after: position }), isReset(3));
  await assert.rejects(store.read("*", { before: position }), isReset(3));
  assert.equal(cut.bodies("/events").at(-1)!["headAtLeast"], 3, "a replica that lags must not answer");
  await assert.rejects(listed(store.readAll("*", { after: position })), isReset(3));
  assert.deepEqual(await listed(store.readAll("*", { after: 3 })), []);
  assert.deepEqual((await store.read("*", { after: 3 })).events, []);
  assert.equal((await store.read("*", { after: { storeId: ID, sequence: 2 } })).events.length, 0);
  assert.deepEqual(await store.head(), { storeId: ID, sequence: 2 });
});

Deno.test("a read that continues after a number beyond the end may break off", async () => {
  const cut = new CutStore();
  let pages = 0;
  const half = { status: 200, body: "", headers: { "x-service-store": ID, "x-service-head": "0" } };
  cut.instead = () => ++pages === 1 ? half : undefined;
  assert.deepEqual(await listed(storeOver(cut).readAll("*", { after: 9 })), []);
  assert.equal(pages, 2);
});

Deno.test("a history that goes back between two pages ends readAll, forwards and backwards", async () => {
  for (const backwards of [false, true]) {
    const cut = new CutStore();
    cut.texts = ["1", "2", "3", "4"];
    const reading = storeOver(cut).readAll("*", { limit: 2, backwards });
    await reading.next();
    const { value } = await reading.next();
    cut.texts.length = 1;
    await assert.rejects(reading.next(), isReset(value!.sequence));
  }
});

Deno.test("a follower is notified, or begins anew, once", async () => {
  const cut = new CutStore();
  cut.texts = ["1", "2", "3"];
  const store = storeOver(cut);
  const [failing, restarting] = [store.follow("*"), store.follow("*", { onReset: "restart" })];
  for (const following of [failing, restarting]) {
    assert.equal((await following.next()).value.events.length, 3);
  }
  cut.texts = ["1", "other"];
  await assert.rejects(failing.next(), isReset(3));
  const restarted: Followed<SchoolEvents>[] = [
    (await restarting.next()).value,
    (await restarting.next()).value,
  ];
  assert.deepEqual(
    restarted.map(({ isReset, checkpoint, events }) => [isReset, checkpoint.sequence, events.length]),
    [
      [true, 0, 0],
      [false, 2, 2],
    ],
  );
  cut.texts.push("new");
  assert.deepEqual((await restarting.next()).value.events.map(({ sequence }) => sequence), [3]);
  await restarting.return(undefined as never);
  await assert.rejects(store.follow("*", { from: { storeId: ID, sequence: 4 } }).next(), isReset(4));
});

Deno.test("a projector makes its state anew, and continues from there after an error", async () => {
  const cut = new CutStore();
  cut.texts = ["1", "2", "3"];
  const projecting = storeOver(cut).project("p", noted);
  const next = async (): Promise<unknown> => (await projecting.next()).value;
  const stored = (state: readonly string[]): unknown => ({
    state,
    checkpoint: { storeId: ID, sequence: state.length },
  });
  assert.deepEqual(await next(), stored(["1", "2", "3"]));
  cut.texts = ["1", "other"];
  assert.deepEqual(await next(), stored(["1", "other"]));
  // After a failed read, the projector begins with the stored state.
  let failures = 0;
  cut.instead = ({ path }) => path === "/write" && failures++ === 0 ? { status: 502, body: "" } : undefined;
  cut.texts.push("new");
  assert.deepEqual(await next(), stored(["1", "other"]), "the state that is stored is not void");
  assert.deepEqual(await next(), stored(["1", "other", "new"]));
  await projecting.return(undefined as never);
});

Deno.test("a decision begins anew when its history is gone", async () => {
  const cut = new CutStore();
  cut.texts = ["1", "2", "3"];
  let writes = 0;
  cut.instead = ({ path }) => {
    if (path !== "/write" || ++writes > 1) return undefined;
    cut.texts = ["1", "other"];
    return ownError(409, "ConcurrencyException", { conflict: { condition: 0 } });
  };
  const seen: (readonly string[])[] = [];
  await storeOver(cut).decide(noted, (texts) => {
    seen.push(texts);
    return note("decided");
  });
  assert.deepEqual(seen, [["1", "2", "3"], ["1", "other"]]);
  assert.deepEqual(cut.texts, ["1", "other", "decided"]);
});

Deno.test("a decision begins anew when the event of its conflict is gone", async () => {
  const cut = new CutStore();
  let writes = 0;
  cut.instead = ({ path }) =>
    path === "/write" && ++writes === 1
      ? ownError(409, "ConcurrencyException", { conflict: { condition: 0, sequence: 7 } })
      : undefined;
  cut.texts = ["1"];
  await storeOver(cut).decide(noted, () => note("decided"));
  assert.deepEqual(cut.bodies("/events").map(({ headAtLeast }) => headAtLeast), [undefined, 7, undefined]);
  assert.deepEqual(cut.texts, ["1", "decided"]);
});

for (const thenHandler of ["decides otherwise", "throws", "decides nothing"]) {
  Deno.test(`after a lost write, the outcome is unknown when its history is gone, even if the handler ${thenHandler}`, async () => {
    const cut = new CutStore();
    cut.texts = ["1"];
    let writes = 0;
    cut.instead = ({ path }) => {
      if (path !== "/write") return undefined;
      return ++writes === 1
        ? { status: 502, body: "" }
        : ownError(409, "ConcurrencyException", { conflict: { condition: 0, sequence: 7 } });
    };
    let decisions = 0;
    const deciding = storeOver(cut).decide(noted, () => {
      if (++decisions === 1) return note("decided");
      if (thenHandler === "throws") throw new Error("nothing was written, as it seems");
      return thenHandler === "decides nothing" ? undefined : note("otherwise");
    });
    await assert.rejects(deciding, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
  });
}

Deno.test("a conflict without details costs attempts, and is reported in the end", async () => {
  const cut = new CutStore();
  cut.instead = ({ path }) =>
    path === "/write"
      ? { ...ownError(409, "ConcurrencyException"), body: "<html>conflict</html>" }
      : undefined;
  const deciding = storeOver(cut).decide(noted, () => note("decided"), { attempts: 3 });
  await assert.rejects(
    deciding,
    (error: EventStoreError) => error.name === "Conflict" && !error.outcomeUnknown,
  );
  assert.equal(cut.bodies("/write").length, 3);
});
