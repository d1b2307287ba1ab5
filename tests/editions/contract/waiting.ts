import assert from "node:assert/strict";
import type { EventsPage } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { readsInFlight, WaitingRead } from "../../support/waiting_read.ts";
import { type ContractEdition, type ContractTest, eventOf, mustBe, PAGE_MAX, Subject } from "./edition.ts";

const ofType = (type: string): unknown => [{ types: [type] }];
const WAIT = { waitSeconds: 60 };

function shown({ reply, events, hasMore }: EventsPage): unknown {
  return [events.map(({ payload }) => payload), hasMore, reply.headers.get("x-service-head")];
}

/** Asserts the counts of reads, and that no reader is in use: for a moment, one may count new events for the catalog. */
async function showsReads(
  { client }: Subject,
  expected: { httpOpen: number; waiting: number },
): Promise<void> {
  const { httpOpen, waiting } = await readsInFlight(client);
  assert.deepEqual({ httpOpen, waiting }, expected);
  await eventually(async () => assert.equal((await readsInFlight(client)).sqliteInUse, 0));
}

/** Tests of `waitSeconds` in the body of `QUERY /events`. */
export function contractOfWaiting(edition: ContractEdition, test: ContractTest): void {
  const { every } = edition;

  test("a read waits until a matching event is committed, and no other event ends it", async (subject) => {
    await subject.append(eventOf("other", "1"));
    using read = await WaitingRead.begin(subject.client, ofType("t"), { limit: 1 });
    await subject.append(eventOf("other", "2"));
    await pause(50);
    assert.equal(read.isAnswered, false);
    await showsReads(subject, { httpOpen: 1, waiting: 1 });
    await subject.append(eventOf("other", "3"), eventOf("t", "4"), eventOf("t", "5"));
    const page = await read.page;
    assert.deepEqual(shown(page), [["4"], true, "5"]);
    assert.equal(page.store, await subject.storeId());
    await showsReads(subject, { httpOpen: 0, waiting: 0 });
  });

  test("a read with matching events does not wait", async (subject) => {
    await subject.append(eventOf("t", "1"), eventOf("u", "2"));
    assert.deepEqual(shown(await subject.page(ofType("t"), WAIT)), [["1"], false, "2"]);
    assert.deepEqual(shown(await subject.page(every, { ...WAIT, afterSequence: 1 })), [["2"], false, "2"]);
  });

  test("when its time is over, a read is answered with an empty page and the present head", async (subject) => {
    const begun = performance.now();
    const page = subject.page(ofType("t"), { waitSeconds: 1 });
    await subject.append(eventOf("other", "1"));
    assert.deepEqual(shown(await page), [[], false, "1"]);
    assert.ok(performance.now() - begun > 990);
    for (const waitSeconds of [0, null]) {
      assert.deepEqual(shown(await subject.page(ofType("t"), { waitSeconds })), [[], false, "1"]);
    }
  });

  test("a read waits for events after its position, even if that is beyond the head", async (subject) => {
    await subject.append(eventOf("t", "1"));
    using next = await WaitingRead.begin(subject.client, every, { afterSequence: 1 });
    using later = await WaitingRead.begin(subject.client, every, { afterSequence: 2 });
    await subject.append(eventOf("t", "2"));
    assert.deepEqual(shown(await next.page), [["2"], false, "2"]);
    assert.equal(later.isAnswered, false);
    await subject.append(eventOf("t", "3"));
    assert.deepEqual(shown(await later.page), [["3"], false, "3"]);
  });

  test("with beforeSequence, a read waits only while an event below it may still come", async (subject) => {
    using read = await WaitingRead.begin(subject.client, ofType("t"), { beforeSequence: 3 });
    await subject.append(eventOf("other", "1"));
    await pause(20);
    assert.equal(read.isAnswered, false);
    await subject.append(eventOf("other", "2"), eventOf("t", "3"));
    assert.deepEqual(shown(await read.page), [[], false, "3"]);
    for (const range of [{ beforeSequence: 3 }, { beforeSequence: 9, afterSequence: 8 }]) {
      assert.deepEqual(shown(await subject.page(ofType("t"), { ...WAIT, ...range })), [[], false, "3"]);
    }
    using other = await WaitingRead.begin(subject.client, ofType("t"), {
      afterSequence: 3,
      beforeSequence: 9,
    });
    await subject.append(eventOf("t", "4"), eventOf("t", "5"));
    assert.deepEqual(shown(await other.page), [["4", "5"], false, "5"]);
  });

  if (edition.none !== undefined) {
    test(`a read of "${edition.none}" does not wait`, async (subject) => {
      assert.deepEqual(shown(await subject.page(edition.none, WAIT)), [[], false, "0"]);
    });
  }

  test("a read that no event can match does not wait", async (subject) => {
    const identifiers = Array.from({ length: 21 }, (_, i) => ({ name: "n", value: String(i) }));
    assert.deepEqual(shown(await subject.page([{ identifiers }], WAIT)), [[], false, "0"]);
  });

  test("a read with a large query, which a worker decodes, waits as well", async (subject) => {
    const types = (item: number): string[] => Array.from({ length: 25 }, (_, i) => `${item}.${i}`);
    using read = await WaitingRead.begin(
      subject.client,
      Array.from({ length: 100 }, (_, i) => ({ types: types(i) })),
    );
    await subject.append(eventOf("100.1", "1"));
    await subject.append(eventOf("99.24", "2"));
    assert.deepEqual(shown(await read.page), [["2"], false, "2"]);
  });

  test("one event answers all reads that wait for it", async (subject) => {
    const begun = Array.from({ length: 20 }, () => subject.page(every, WAIT));
    await eventually(async () => assert.equal((await readsInFlight(subject.client)).waiting, 20));
    await subject.append(eventOf("t", "1"));
    for (const page of await Promise.all(begun)) assert.deepEqual(shown(page), [["1"], false, "1"]);
  });

  test("a client that reads, waits, and continues after the last event gets every event once and in order", async (subject) => {
    const numbers = Array.from({ length: 30 }, (_, i) => String(i + 1));
    const writing = (async () => {
      for (const number of numbers) {
        await subject.append(eventOf(Number(number) % 2 === 0 ? "t" : "u", number));
      }
    })();
    for (
      const [query, wanted] of [[every, numbers], [
        ofType("t"),
        numbers.filter((n) => Number(n) % 2 === 0),
      ]] as const
    ) {
      const received: string[] = [];
      for (let afterSequence = 0; received.length < wanted.length;) {
        const { events, hasMore, reply } = await subject.page(query, {
          ...WAIT,
          afterSequence,
          limit: PAGE_MAX,
        });
        received.push(...events.map(({ payload }) => payload));
        const last = events.at(-1)?.sequence ?? afterSequence;
        afterSequence = hasMore === false ? Number(reply.headers.get("x-service-head")) : last;
      }
      assert.deepEqual(received, wanted);
    }
    await writing;
  });

  test("a reset ends waiting with an empty page under the new store ID", async (subject) => {
    await subject.append(eventOf("t", "1"));
    const before = await subject.storeId();
    using read = await WaitingRead.begin(subject.client, every, { afterSequence: 1 });
    await edition.reset(subject.client);
    const page = await read.page;
    assert.deepEqual(shown(page), [[], false, "0"]);
    assert.notEqual(page.store, before);
    assert.equal(page.store, await subject.storeId());
  });

  test("a read whose client disconnects stops waiting", async (subject) => {
    using staying = await WaitingRead.begin(subject.client, every);
    const leaving = await WaitingRead.begin(subject.client, every);
    await showsReads(subject, { httpOpen: 2, waiting: 2 });
    leaving.leave();
    await assert.rejects(leaving.page);
    await eventually(() => showsReads(subject, { httpOpen: 1, waiting: 1 }));
    await subject.append(eventOf("t", "1"));
    assert.deepEqual(shown(await staying.page), [["1"], false, "1"]);
  });

  test("service_reads_waiting counts waiting reads", async (subject) => {
    const metric = async (): Promise<string | undefined> => {
      const { text } = mustBe(200, await subject.client.request("GET", "/metrics"));
      return /^service_reads_waiting (\d+)$/m.exec(text)?.[1];
    };
    assert.equal(await metric(), "0");
    using _read = await WaitingRead.begin(subject.client, every);
    assert.equal(await metric(), "1");
  });

  const rejected: readonly [cause: string, body: object, message: RegExp][] = [
    ["waitSeconds below 0", { waitSeconds: -1 }, /waitSeconds/],
    ["waitSeconds above 60", { waitSeconds: 61 }, /waitSeconds is 61, more than 60/],
    ["fractional waitSeconds", { waitSeconds: 0.5 }, /waitSeconds/],
    ["waitSeconds with backwards", { waitSeconds: 1, backwards: true }, /waitSeconds.*backwards/],
  ];
  test("an invalid waitSeconds is 400", async ({ client }) => {
    for (const [cause, body, message] of rejected) {
      const reply = await client.request("QUERY", "/events", { json: { query: every, ...body } });
      assert.equal(reply.status, 400, cause);
      assertRejected(reply, 400, "InvalidRequest", message);
    }
  });
}

/** Tests that a stop answers waiting reads. They start their own server. */
export function contractOfWaitingAtStop(edition: ContractEdition, named: (name: string) => string): void {
  Deno.test(named("a stop answers reads that wait, and is not held up by them"), async () => {
    await using server = await startServer({ listen: "unix", env: { SERVICE_EDITION: edition.name } });
    const subject = new Subject(edition, server.client());
    await subject.append(eventOf("t", "1"));
    using read = await WaitingRead.begin(subject.client, ofType("u"));
    const begun = performance.now();
    const stopped = server.stop();
    const page = await read.page;
    assert.deepEqual(shown(page), [[], false, "1"]);
    assert.equal(page.reply.headers.get("connection"), "close");
    assert.deepEqual([(await stopped).code, server.stderr], [0, ""]);
    assert.ok(performance.now() - begun < 5000);
  });
}
