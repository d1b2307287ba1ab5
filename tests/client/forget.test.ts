import assert from "node:assert/strict";
import { ConnectionLost, type DecisionModel, EventStore, Refused } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "./faulty_transport.ts";
import { failure, IN_MEMORY, listed, placeOf, sharedTestServer, storeOf } from "./support.ts";

/* Tests of a person who is forgotten, and of the events that remain. */

interface PersonalEvents {
  Registered: { name: string } | null;
  Forgotten: null;
}

const env = { SERVICE_SUBJECTS: "student" };
const server = sharedTestServer("tcp", env);
const personal = (options = {}): EventStore<PersonalEvents> => storeOf<PersonalEvents>(server, options);

const S1 = { name: "student", value: "s1" };
const FORGOTTEN = { type: "Forgotten", identifiers: { student: "s1" }, payload: null } as const;

function registered(student: string): {
  type: "Registered";
  identifiers: { student: string };
  payload: { name: string };
} {
  return { type: "Registered", identifiers: { student }, payload: { name: `Ada ${student}` } };
}

/** The names of the students, as far as they are known. */
const names: DecisionModel<PersonalEvents, readonly string[]> = {
  query: { types: ["Registered"] },
  initial: [],
  apply: (names, { payload, forgotten }) => [...names, payload?.name ?? `${forgotten} forgotten`],
};

Deno.test("a person is forgotten once, and the events come with it; an unknown person is refused", async () => {
  const store = personal();
  await store.append([registered("s1"), registered("s2")]);
  const first = await store.forget(S1, { events: FORGOTTEN });
  assert.equal(first.forgotten, "now");
  assert.deepEqual(first.events.map(({ sequence }) => sequence), [3]);
  // The event was written after the key was destroyed, with a new one.
  assert.equal((await store.forget(S1)).forgotten, "now");
  assert.deepEqual(await store.forget(S1), { forgotten: "before", events: [] });
  const error = await failure(store.forget({ name: "student", value: "s3" }, { events: FORGOTTEN }));
  assert.ok(error instanceof Refused);
  assert.deepEqual([error.code, error.status, error.outcomeUnknown], ["SubjectNotFound", 404, false]);
  assert.equal((await store.head()).sequence, 3);
});

Deno.test("a forgotten payload is null, whatever notJson says, and empty for a store of texts", async () => {
  const store = personal();
  await store.append([registered("s1"), registered("s2")]);
  await store.forget(S1);
  const expected = [[null, ["student"]], [{ name: "Ada s2" }, undefined]];
  const read = (events: readonly { payload: unknown; forgotten?: readonly string[] }[]): unknown[] =>
    events.map(({ payload, forgotten }) => [payload, forgotten]);
  assert.deepEqual(read((await store.read("*")).events), expected);
  assert.deepEqual(read((await store.read("*", { backwards: true })).events), expected.toReversed());
  assert.deepEqual(
    read(await listed(store.readAll({ identifiers: { student: "s1" } }))),
    expected.slice(0, 1),
  );
  for (
    const notJson of ["text", (): void => assert.fail("it is no event whose payload is not JSON")] as const
  ) {
    assert.deepEqual(read((await personal({ notJson }).read("*")).events), expected);
  }
  const texts = (await personal({ payload: "text" }).read("*")).events;
  assert.deepEqual(read(texts), [["", ["student"]], ['{"name":"Ada s2"}', undefined]]);
  assert.equal("forgotten" in texts[1]!, false);
});

Deno.test("decide, project and follow go on with forgotten events, and a reader that waits is notified", async () => {
  const store = personal();
  await store.append([registered("s1"), registered("s2")]);
  const { position } = await store.read("*");
  const follower = store.follow("*", { from: position });
  const next = follower.next();
  await store.forget(S1, { events: FORGOTTEN });
  const { value } = await next;
  assert.deepEqual(value!.events.map(({ type, payload }) => [type, payload]), [["Forgotten", null]]);
  await follower.return(undefined as never);

  let known: readonly string[] = [];
  await store.decide(names, (names) => void (known = names));
  assert.deepEqual(known, ["student forgotten", "Ada s2"]);
  for await (const { state } of store.project("names", names)) {
    assert.deepEqual(state, known);
    break;
  }
  const rows = store.project("row", { ...names, key: ({ identifiers }) => identifiers["student"] });
  for await (const { rows: changed } of rows) {
    assert.deepEqual([...changed], [["s1", ["student forgotten"]], ["s2", ["Ada s2"]]]);
    break;
  }
});

Deno.test("a write of a forgotten person under a key is still known as the first one", async () => {
  const store = personal();
  const first = await store.writeOnce("k", [registered("s1"), registered("s2")]);
  await store.forget(S1);
  const again = await store.writeOnce("k", [registered("s1"), registered("s2")]);
  assert.deepEqual(again, { events: first.events, repeated: true });
  const other = registered("s2");
  other.payload.name = "another";
  const error = await failure(store.writeOnce("k", [registered("s1"), other]));
  assert.equal(error.code, "DifferentBody");
});

Deno.test("when the answer is lost, the request is not repeated, and its outcome is unknown", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = personal({ transport });
  await store.append(registered("s1"));
  transport.fault = ({ path }) => path === "/forget" ? "answer lost" : "none";
  const error = await failure(store.forget(S1, { events: FORGOTTEN }));
  assert.ok(error instanceof ConnectionLost);
  assert.equal(error.outcomeUnknown, true);
  transport.fault = () => "none";
  assert.equal((await store.head()).sequence, 2);
});

for (const edition of ["B", "C"] as const) {
  const other = sharedTestServer("tcp", { ...env, SERVICE_EDITION: edition });

  const name = `edition ${edition}: a person is forgotten, and a transaction reads what is left`;
  Deno.test({ name, ignore: IN_MEMORY }, async () => {
    const store = storeOf<PersonalEvents>(other, { edition });
    await store.transaction(async (tx) => {
      await tx.append([registered("s1"), registered("s2")]);
    });
    const { forgotten, events } = await store.forget(S1, { events: FORGOTTEN });
    assert.deepEqual([forgotten, events.map(({ sequence }) => sequence)], ["now", [3]]);
    const read = await store.transaction((tx) => tx.read({ types: ["Registered"] }));
    assert.deepEqual(read.map(({ payload, forgotten }) => [payload, forgotten]), [
      [null, ["student"]],
      [{ name: "Ada s2" }, undefined],
    ]);
  });
}
