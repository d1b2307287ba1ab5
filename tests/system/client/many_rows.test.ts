import assert from "node:assert/strict";
import { startTestServer, storeOf } from "../../client/support.ts";

/** More keys than a projector keeps in memory. */
const KEYS = 100_000;
const EVENTS_PER_WRITE = 100;

interface Events {
  Enrolled: null;
}

Deno.test("a projector keeps 100,000 rows, which can be read by key and listed in pages", async () => {
  await using server = await startTestServer("unix");
  const store = storeOf<Events>(server);
  const enrolled = (student: number) => ({
    type: "Enrolled" as const,
    identifiers: { student: `s${student}` },
    payload: null,
  });
  const write = async (first: number): Promise<void> => {
    await store.append(Array.from({ length: EVENTS_PER_WRITE }, (_, i) => enrolled((first + i) % KEYS)));
  };
  for (let first = 0; first < KEYS; first += EVENTS_PER_WRITE) await write(first);
  // Each of these has a row that the projector no longer keeps in memory.
  for (let first = 0; first < 2000; first += EVENTS_PER_WRITE) await write(first);

  const courses = store.project<number>("courses", {
    query: { types: ["Enrolled"] },
    key: (event) => event.identifiers["student"],
    initial: 0,
    apply: (count) => count + 1,
  }, { limit: 1000 });
  for await (const { checkpoint } of courses) if (checkpoint.sequence === KEYS + 2000) break;

  const found = new Set<string>();
  for await (const { id } of store.projections.list({ type: "courses" })) found.add(id);
  assert.equal(found.size, KEYS + 1);
  for (const [student, count] of [[0, 2], [1999, 2], [2000, 1], [KEYS - 1, 1]] as const) {
    assert.equal((await store.projections.get<number>("courses", `s${student}`))?.payload, count);
  }
});
