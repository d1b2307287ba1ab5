import assert from "node:assert/strict";
import fc from "fast-check";
import { eventBody } from "../../../src/wire/event.ts";
import { expectStatus } from "../../support/replies.ts";
import { append, createProjection, event, replaceProjection, startEditionB } from "./client.ts";
import { rounds } from "../../support/rounds.ts";
import { InProcess, MemoryStore, textOf } from "./tx_in_process.ts";
import {
  type CallName,
  CALLS,
  compareWithReference,
  ReferenceWorld,
  type Subject,
} from "./reference_world.ts";

const LENGTH_MAX = rounds(4, 5);
const NAMES = { eventType: "t", projectionType: "p" };

/**
 * Yields every sequence of calls after a begin, up to a maximal length. It does not extend sequences that cannot show
 * anything new: calls on an ended transaction change nothing, and a second begin starts the same sequences anew.
 */
function* sequences(prefix: readonly CallName[] = ["begin"]): Generator<CallName[]> {
  const reference = new ReferenceWorld(NAMES);
  for (const [place, call] of prefix.entries()) reference.perform(call, place);
  const isOpen = reference.transactionIsOpen;
  for (const call of CALLS) {
    const sequence = [...prefix, call];
    const isFollowed = call === "outside" || isOpen !== (call === "begin");
    if (sequence.length <= LENGTH_MAX && isFollowed) yield* sequences(sequence);
    else yield sequence;
  }
}

function inMemory(routes: InProcess): Subject {
  const names = NAMES;
  const store = new MemoryStore();
  routes.store = store;
  const appendEvent = (payload: string): void => {
    const body = eventBody({ type: names.eventType, identifiers: [], metadata: [], payload });
    store.events.push({ timeMicros: 0, body });
  };
  appendEvent("first");
  store.put(names.projectionType, "Present", "stored");
  return {
    names,
    async send(method, path, json) {
      const reply = await routes.request(method, path, json);
      return { status: reply.status, text: await textOf(reply) };
    },
    outside(payload) {
      appendEvent(payload);
      for (const id of ["Present", "Missing"]) store.put(names.projectionType, id, payload);
      return Promise.resolve();
    },
  };
}

Deno.test(`all sequences of up to ${LENGTH_MAX} calls on a transaction agree with the reference`, async () => {
  using routes = new InProcess();
  let count = 0;
  for (const sequence of sequences()) {
    await compareWithReference(inMemory(routes), sequence);
    count++;
  }
  assert.ok(count > rounds(8000, 100_000), `${count} sequences`);
});

Deno.test("random longer sequences of calls on a transaction agree with the reference", async () => {
  using routes = new InProcess();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...CALLS), { minLength: 6, maxLength: 20 }),
      (calls) => compareWithReference(inMemory(routes), ["begin", ...calls]),
    ),
    { numRuns: 2000 },
  );
});

Deno.test("a random sample of sequences agrees with the reference over HTTP", async () => {
  await using server = await startEditionB();
  const client = server.client();
  let runs = 0;
  const subject = async (): Promise<Subject> => {
    const names = { eventType: `t${++runs}`, projectionType: `p${runs}` };
    await append(client, event(names.eventType, "first"));
    await createProjection(client, names.projectionType, "Present", "stored");
    return {
      names,
      send: (method, path, json) => client.request(method, path, json === undefined ? {} : { json }),
      async outside(payload) {
        await append(client, event(names.eventType, payload));
        for (const id of ["Present", "Missing"]) {
          const { status } = await client.request("GET", `/projections/${names.projectionType}/${id}`);
          if (status === 404) await createProjection(client, names.projectionType, id, payload);
          else await replaceProjection(client, names.projectionType, id, payload);
        }
      },
    };
  };
  // Broken rules are drawn less often here, so that most sequences reach their commit.
  const decision = fc.constantFrom<CallName[]>(["read", "write"], ["read", "writeNothing"], [
    "readNone",
    "write",
  ]);
  const part = fc.oneof(
    { weight: 3, arbitrary: decision },
    { weight: 6, arbitrary: fc.constantFrom(...CALLS).map((call) => [call]) },
    { weight: 2, arbitrary: fc.constantFrom<CallName[]>(["outside"], ["getPresent"], ["getMissing"]) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 5 }), async (parts) => {
      await compareWithReference(await subject(), ["begin", ...parts.flat(), "commit"]);
    }),
    { numRuns: rounds(60, 300) },
  );
  expectStatus(await client.request("GET", "/health"), 200);
});
