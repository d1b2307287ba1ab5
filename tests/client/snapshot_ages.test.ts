import assert from "node:assert/strict";
import { Conflict, type Projection } from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";
import { type Fault, FaultyTransport } from "./faulty_transport.ts";
import { listed, note, placeOf, sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

/** The sequences of the notes with a tag, in order: each lost, repeated or swapped event shows. */
const sequencesOf = (name: string, value: string) => ({
  query: { types: ["Noted"], identifiers: { [name]: value } },
  initial: [] as number[],
  apply: (sequences: number[], { sequence }: { readonly sequence: number }) => [...sequences, sequence],
} as const);

Deno.test("decisions with snapshots of random age equal those without, though answers are lost", async () => {
  const random = seededRandom(testSeed());
  const real = fetchTransport(placeOf(server.address).url!);
  const transport = new FaultyTransport(real);
  const faults: readonly Fault[] = ["none", "none", "none", "request lost", "answer lost", "answer cut"];
  const plain = storeOf(server);
  const store = storeOf(server, { transport });
  const old = new Map<string, Projection[]>();
  let begunLate = 0;
  for (let round = 0; round < 24; round++) {
    await plain.append(
      Array.from({ length: random(4) }, () => note("", { a: `${random(2)}`, b: `${random(2)}` })),
    );
    // Each snapshot becomes an earlier one, or is lost.
    for (const { type, id } of await listed(plain.projections.list())) {
      const current = (await plain.projections.get(type, id))!;
      const all = old.get(id) ?? [];
      old.set(id, [...all, current]);
      const chosen = [...all, current, undefined][random(all.length + 2)];
      const { version } = current;
      const changes = chosen
        ? { replace: [{ type, id, version, payload: chosen.payload }] }
        : { delete: [{ type, id, version }] };
      await plain.projections.write(changes).catch((error) => {
        // The last decision may still write its snapshot.
        if (!(error instanceof Conflict)) throw error;
      });
    }
    const names = [["a", "0"], ["a", "1"], ["b", "0"]].slice(random(3)) as [string, string][];
    const models = Object.fromEntries(names.map(([name, value]) => [name + value, sequencesOf(name, value)]));
    const withSnapshots = Object.fromEntries(
      Object.entries(models).map((
        [name, model],
      ) => [name, { ...model, snapshot: { name: "s", every: 1 + random(3) } }]),
    );
    const expected = await plain.decide(models, (states) => ({ result: states }));
    transport.requests.length = 0;
    transport.fault = ({ path }) => path === "/write" ? faults[random(faults.length)]! : "none";
    const { events, result } = await store.decide(
      withSnapshots,
      (states) => ({ events: note("", { a: "0", b: "0" }), result: states }),
      { attempts: 30 },
    );
    assert.deepEqual(result, expected.result);
    const { afterSequence } = JSON.parse(transport.requests.find(({ method }) => method === "QUERY")!.body!);
    if (afterSequence > 0) begunLate++;
    const after = await plain.decide(models, (states) => ({ result: states }));
    for (const [name, before] of Object.entries(expected.result)) {
      const own = name === "a1" ? [] : [events[0]!.sequence];
      assert.deepEqual(after.result[name], [...before, ...own]);
    }
  }
  assert.ok(begunLate > 5, `only ${begunLate} decisions began with snapshots`);
});
