import assert from "node:assert/strict";
import { join } from "node:path";
import { sqliteTest } from "../../support/test_storage.ts";
import { contractA } from "../contract/a.ts";
import { contractB } from "../contract/b.ts";
import { contractC } from "../contract/c.ts";
import { mustBe, Subject } from "../contract/edition.ts";
import { SECRET, Twins } from "./twins.ts";

/*
 * A store with subjects answers as one in which the payloads of the forgotten were always empty, byte for byte, apart
 * from times and IDs. Random requests go to it and to one without subjects.
 */

const STEPS_MAX = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 1500 : 120;

type Step = (twins: Twins) => Promise<void>;

const append: Step = async (twins) => {
  const events = twins.events();
  for (const server of twins.servers) await new Subject(twins.edition, server.client()).append(...events);
  await twins.same("QUERY", "/events", {
    query: twins.edition.every,
    afterSequence: await twins.head() - events.length,
  });
};

const read: Step = async (twins) => {
  const head = await twins.head();
  await twins.same("QUERY", "/events", {
    query: twins.query(),
    afterSequence: twins.below(head + 1),
    ...twins.below(2) === 0 ? { limit: 1 + twins.below(5) } : {},
    ...twins.below(3) === 0 ? { backwards: true } : {},
    ...twins.below(3) === 0 ? { beforeSequence: 1 + twins.below(head + 1) } : {},
  });
};

/** A read waits until an event is written. */
const wait: Step = async (twins) => {
  const afterSequence = await twins.head();
  const waiting = twins.same("QUERY", "/events", {
    query: twins.edition.every,
    afterSequence,
    waitSeconds: 20,
  });
  const events = twins.events();
  for (const server of twins.servers) await new Subject(twins.edition, server.client()).append(...events);
  // It may have seen the first events only.
  await waiting.catch((error) => assert.fail(error));
};

const subject: Step = async (twins) => {
  const [name, value] = twins.one([["student", "s1"], ["customer", "k1"]]);
  const query = [{ identifiers: [{ name, value }] }];
  await twins.same("QUERY", "/events", { query });
  const { text } = mustBe(200, await twins.sealed.client().request("GET", `/subjects/${name}/${value}`));
  const page = await twins.sealed.client().request("QUERY", "/events", { json: { query } });
  assert.equal(text, page.text);
};

const writeA: Step = async (twins) => {
  const events = twins.events();
  const afterSequence = twins.below(await twins.head() + 1);
  const stores = await Promise.all(
    twins.servers.map((server) => new Subject(twins.edition, server.client()).storeId()),
  );
  const failIfEventsMatch = twins.query();
  const statuses = await Promise.all(twins.servers.map(async (server, i) => {
    const conditions = [{ failIfEventsMatch, afterSequence, store: stores[i] }];
    const reply = await server.client().request("POST", "/write", { json: { conditions, events } });
    return [reply.status, reply.status === 409 ? reply.text : ""];
  }));
  assert.deepEqual(statuses[0], statuses[1]);
};

const transactionB: Step = async (twins) => {
  const ids = (await twins.same("POST", "/tx")).map((reply) => reply.json<{ txId: string }>().txId);
  await twins.same("QUERY", "/tx/{tx}/events", { query: twins.query() }, ids);
  await twins.same("POST", "/tx/{tx}/events", { events: twins.events() }, ids);
  if (twins.below(3) === 0) await twins.forget();
  await twins.same("POST", "/tx/{tx}/commit", undefined, ids);
};

const ticketC: Step = async (twins) => {
  const tickets = (await twins.same("POST", "/begin")).map((reply) =>
    reply.json<{ ticket: string }>().ticket
  );
  for (let calls = 1 + twins.below(3); calls > 0; calls--) {
    await twins.same("POST", "/events", { events: twins.events() }, tickets);
    await twins.same("QUERY", "/events", { query: twins.query() }, tickets);
  }
  await twins.same("POST", twins.one(["/commit", "/rollback"]), undefined, tickets);
};

const STEPS: Readonly<Record<string, readonly Step[]>> = {
  A: [append, read, read, wait, subject, writeA, (twins) => twins.forget()],
  B: [append, read, read, wait, subject, transactionB, (twins) => twins.forget()],
  C: [append, read, read, wait, subject, ticketC, ticketC, (twins) => twins.forget()],
};

/** Everything that the server prints and shows, apart from events. */
async function shown({ sealed }: Twins): Promise<string> {
  const texts = ["/metrics", "/debug", "/debug/conflicts", "/catalog", "/health", "/whoami"].map(async (
    path,
  ) => mustBe(200, await sealed.client().request("GET", path)).text);
  return [...await Promise.all(texts), sealed.stdout, sealed.stderr].join("\n");
}

for (const edition of [contractA, contractB, contractC]) {
  Deno.test(`edition ${edition.name}: forgotten payloads are empty in every answer, and nothing else changes`, async () => {
    await Twins.with(edition, async (twins) => {
      await append(twins);
      for (let i = 0; i < STEPS_MAX; i++) await twins.one(STEPS[edition.name]!)(twins);
      assert.ok(!(await shown(twins)).includes(SECRET));
      assert.ok(await twins.head() > STEPS_MAX / 2);
    });
  });
}

sqliteTest("no payload of a subject is readable in a file of the store", async () => {
  await Twins.with(contractA, async ({ sealed }) => {
    const event = { type: "T", identifiers: { student: "s1" }, payload: `${SECRET}1` };
    await new Subject(contractA, sealed.client()).append(event, {
      ...event,
      identifiers: {},
      payload: "readable",
    });
    const found = [...Deno.readDirSync(sealed.dataDir)].map(({ name }) =>
      new TextDecoder("latin1").decode(Deno.readFileSync(join(sealed.dataDir, name)))
    ).join("");
    assert.ok(found.includes("readable") && !found.includes(SECRET));
  });
});
