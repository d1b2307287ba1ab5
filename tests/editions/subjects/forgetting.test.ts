import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { metrics } from "../../support/metrics.ts";
import { assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer, startServer } from "../../support/server_process.ts";
import { EDITIONS } from "../append_as.ts";
import { about, EVERY, Side } from "./side.ts";

/* The requests of a store with subjects, in every edition. */

const SUBJECTS = { SERVICE_SUBJECTS: "student,customer" };

for (const edition of EDITIONS) {
  const own = sharedServer({ env: { ...SUBJECTS, SERVICE_EDITION: edition } });
  const side = new Side(edition, own);
  const test = (name: string, run: () => Promise<void>): void =>
    Deno.test(`edition ${edition}: ${name}`, run);

  test("a body that is wrong names the item, and forgets nothing", async () => {
    await side.append(about("1"));
    const identifier = { name: "student", value: "s1" };
    const large = { type: "T", payload: "x".repeat(70_000) };
    for (
      const [body, message] of [
        ["{", /^body is not valid JSON/],
        ["[]", /^body must be an object/],
        ["{}", /^identifier is missing$/],
        [{ identifier: "s1" }, /^identifier must be an object/],
        [{ identifier: { name: "student" } }, /^identifier: value is missing$/],
        [{ identifier: { name: "", value: "s1" } }, /^identifier: name must (be|not be)/],
        [{ identifier: { ...identifier, of: 1 } }, /^identifier: unknown key "of"$/],
        [{ identifier, event: [] }, /^unknown key "event"$/],
        [{ identifier, events: {} }, /^events must be an array/],
        [
          { identifier, events: [{ type: "T", payload: "" }, { type: "T" }] },
          /^events\[1\]: payload is missing$/,
        ],
        [
          { identifier, events: Array(101).fill({ type: "T", payload: "" }) },
          /^events has 101 items, more than 100$/,
        ],
      ] as const
    ) {
      const sent = typeof body === "string" ? { body } : { json: body };
      const reply = await side.client.request("POST", "/forget", sent);
      assert.equal(reply.status, 400, `${JSON.stringify(body).slice(0, 80)}: ${reply.text}`);
      assert.match(reply.json<{ message: string }>().message, message);
    }
    assertRejected(await side.forget("s1", { events: [large] }), 413, "PayloadTooLarge", /^events\[0\] is /);
    assert.deepEqual(await side.payloads(), ["1"]);
  });

  test("forgetting twice is fine, an unknown subject is 404 and writes nothing", async () => {
    await side.append(about("1"), about("2", { student: "s2" }), about("3", { course: "c1" }));
    const event = about("not written", { course: "c1" });
    for (const [value, name] of [["s3", "student"], ["s1", "customer"], ["c1", "course"], ["", "student"]]) {
      assertRejected(await side.forget(value!, { events: [event] }, name), 404, "SubjectNotFound");
    }
    assert.deepEqual(await side.payloads(), ["1", "2", "3"]);
    assert.deepEqual(await side.forgets("s1"), { forgotten: "now", events: [] });
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(await side.forgets("s1"), { forgotten: "before", events: [] });
    }
    assert.deepEqual(await side.payloads(), [["student"], "2", "3"]);
    assert.equal((await metrics(side.client)).get("service_subjects_forgotten_total"), 1);
  });

  test("after forgetting, writing begins with a new key, which can be forgotten again", async () => {
    for (let i = 1; i <= 3; i++) {
      await side.append(about(`${i}`));
      assert.deepEqual(await side.payloads(), [...Array(i - 1).fill(["student"]), `${i}`]);
      assert.equal((await side.forgets("s1")).forgotten, "now");
    }
    const forgotten = await side.lines("/subjects/forgotten");
    assert.deepEqual(forgotten.map(({ name, value }) => [name, value]), Array(3).fill(["student", "s1"]));
    assert.equal(new Set(forgotten.map(({ id }) => id)).size, 3);
    assert.deepEqual(await side.lines("/subjects/keys"), []);
  });

  test("forgetting any of the subjects of an event suffices", async () => {
    await side.append(
      about("both", { student: "s1", customer: "k1" }),
      about("two", { student: ["s1", "s2"] }),
      about("one", { student: "s2" }),
    );
    await side.forgets("k1", {}, "customer");
    assert.deepEqual(await side.payloads(), [["customer"], "two", "one"]);
    await side.forgets("s1");
    // Identifiers are stored in the order of their names.
    assert.deepEqual(await side.payloads(), [["customer", "student"], ["student"], "one"]);
  });

  test("the events that come with it are written in its turn, and wake reads that wait", async () => {
    await side.append(about("1"));
    const wait = { query: EVERY[edition], afterSequence: 1, waitSeconds: 30 };
    const waiting = side.client.request("QUERY", "/events", { json: wait });
    await eventually(async () => {
      assert.equal((await metrics(side.client)).get("service_reads_waiting"), 1);
    });
    const { forgotten, events } = await side.forgets("s1", {
      events: [about("told", { course: "c1" }), about("new key")],
    });
    assert.deepEqual([forgotten, events.map(({ sequence }) => sequence)], ["now", [2, 3]]);
    const { text } = expectStatus(await waiting, 200);
    assert.match(text, /"sequence":2,.*"payload":"told"/);
    assert.deepEqual(await side.payloads(), [["student"], "told", "new key"]);
    const times = (await side.events()).slice(1).map(({ time }) => time);
    assert.deepEqual(times, events.map(({ time }) => time));
  });

  test("GET /subjects/{name}/{value} gives all events of a subject, whatever the limit of a page", async () => {
    const odd = "s/1 \u00e9%";
    await side.append(
      ...Array.from({ length: 20 }, (_, i) => about(`${i}`, { student: i % 2 ? odd : "s2" })),
    );
    const target = `/subjects/student/${encodeURIComponent(odd)}`;
    const found = await side.lines(target);
    assert.deepEqual(found, (await side.events()).filter((_, i) => i % 2));
    await side.forgets(odd);
    assert.ok((await side.lines(target)).every(({ payload, forgotten }) => payload === "" && forgotten));
    assert.deepEqual(await side.lines("/subjects/student/nobody"), []);
  });

  test("QUERY /events/stored is a page as any other, of events as they are stored", async () => {
    await side.append(about("secret"), about("plain", { course: "c1" }), about("secret", { student: "s2" }));
    const page = async (
      json: object,
    ): Promise<{ lines: Record<string, unknown>[]; headers: (string | undefined)[] }> => {
      const { text, headers } = expectStatus(
        await side.client.request("QUERY", "/events/stored", { json }),
        200,
      );
      assert.doesNotMatch(text, /secret/);
      const names = ["x-service-store", "x-service-head", "content-type", "cache-control"];
      return {
        lines: text.trimEnd().split("\n").map((line) => JSON.parse(line)),
        headers: names.map((name) => headers.get(name)),
      };
    };
    const read = await side.client.request("QUERY", "/events", { json: { query: EVERY[edition] } });
    const { lines, headers } = await page({});
    assert.deepEqual(headers, [
      read.headers.get("x-service-store"),
      "3",
      read.headers.get("content-type"),
      read.headers.get("cache-control"),
    ]);
    assert.deepEqual(lines.map(({ sequence, hasMore }) => sequence ?? hasMore), [1, 2, 3, false]);
    assert.equal("sealed" in lines[1]!, false);
    assert.deepEqual(lines[1], (await side.events())[1]);
    await side.forgets("s1");
    assert.deepEqual((await page({})).lines, lines, "forgetting changes nothing that is stored");
    assert.deepEqual((await page({ limit: 1 })).lines, [lines[0], { hasMore: true }]);
    assert.deepEqual((await page({ afterSequence: 1, limit: 1 })).lines, [lines[1], { hasMore: true }]);
    assert.deepEqual((await page({ afterSequence: 3 })).lines, [{ hasMore: false }]);
    for (
      const [json, message] of [[{ query: "*" }, 'unknown key "query"'], [
        { limit: 0 },
        /^limit must be/,
      ]] as const
    ) {
      assertRejected(
        await side.client.request("QUERY", "/events/stored", { json }),
        400,
        "InvalidRequest",
        message,
      );
    }
  });

  test("the keys in use are listed, those of the forgotten are not", async () => {
    await side.append(about("1"), about("2", { student: "s2" }));
    const keys = await side.lines("/subjects/keys");
    assert.deepEqual(keys.map(({ name, value }) => `${name}=${value}`).toSorted(), [
      "student=s1",
      "student=s2",
    ]);
    assert.ok(keys.every(({ key }) => Uint8Array.fromBase64(key as string).length === 32));
    await side.forgets("s1");
    assert.deepEqual(await side.lines("/subjects/keys"), keys.filter(({ value }) => value === "s2"));
  });

  Deno.test(`edition ${edition}: without the setting, all of these paths are unknown`, async () => {
    await using plain = await startServer({ env: { SERVICE_EDITION: edition } });
    const requests = [
      ["POST", "/forget"],
      ["GET", "/subjects/student/s1"],
      ["QUERY", "/events/stored"],
      ["GET", "/subjects/keys"],
      ["GET", "/subjects/forgotten"],
    ];
    for (const [method, target] of requests) {
      assertPlainText(await plain.client().request(method!, target!, { body: "{}" }), 404);
    }
  });
}

for (const edition of ["B", "C"] as const) {
  const own = sharedServer({ env: { ...SUBJECTS, SERVICE_EDITION: edition } });
  const side = new Side(edition, own);

  Deno.test(`edition ${edition}: during a pause, nothing is forgotten`, async () => {
    await side.append(about("1"));
    assert.ok([200, 204].includes((await side.client.request("POST", "/pause")).status));
    assertRejected(await side.forget("s1", { events: [about("2")] }), 503, "Paused");
    assert.deepEqual(await side.payloads(), ["1"]);
    expectStatus(await side.client.request("POST", "/resume"), 204);
    assert.equal((await side.forgets("s1")).forgotten, "now");
  });

  if (edition === "B") continue;
  Deno.test("edition C: a request to forget waits until the active ticket has ended", async () => {
    await side.append(about("1"));
    const begun = expectStatus(await side.client.request("POST", "/begin"), 200);
    const headers = { "x-service-ticket": begun.json<{ ticket: string }>().ticket };
    const forgetting = side.forgets("s1", { events: [about("after")] });
    // If it does not wait, the queue shows that first.
    forgetting.catch(() => {});
    await eventually(async () => {
      const { text } = expectStatus(await side.client.request("GET", "/debug"), 200);
      assert.deepEqual(JSON.parse(text).write.queued.map(({ kind }: { kind: string }) => kind), ["forget"]);
    });
    const json = { events: [about("2")] };
    expectStatus(await side.client.request("POST", "/events", { headers, json }), 200);
    assert.ok([200, 204].includes((await side.client.request("POST", "/commit", { headers })).status));
    assert.deepEqual((await forgetting).events.map(({ sequence }) => sequence), [3]);
    assert.deepEqual(await side.payloads(), [["student"], ["student"], "after"]);
  });
}
