import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { sharedTestServer, storeOf } from "../support.ts";
import { consuming, handled, notes, records } from "./consuming.ts";

const server = sharedTestServer();

Deno.test("a handler that fails, or whose result is rejected, is called again, and then its event is parked", async () => {
  const store = storeOf(server);
  await store.append(notes(3, 2));
  await using consumer = consuming(store, {
    handle({ sequence }, { attempt }) {
      if (sequence === 1) throw new RangeError("too bad");
      if (sequence === 2) return { type: "Noted", identifiers: { none: [] }, payload: { text: "" } };
      if (sequence === 3 && attempt === 1) throw new RangeError("once");
      return undefined;
    },
  }, { attempts: 2 });
  await handled(consumer, 3, 4, 5, 6);
  await eventually(() => assert.deepEqual(consumer.sequences("parked").sort(), [1, 2]));
  assert.deepEqual(consumer.sequences("failed").sort(), [1, 2, 3]);
  const parked = Object.values(await records(store, "parked-"));
  assert.deepEqual(
    parked.map(({ time: _, ...record }) => record).sort((a, b) =>
      Number(a["sequence"]) - Number(b["sequence"])
    ),
    [
      { sequence: 1, type: "Noted", key: "k0", error: "RangeError: too bad", attempts: 2 },
      {
        sequence: 2,
        type: "Noted",
        key: "k1",
        error: 'TypeError: tag "none" has no string as value',
        attempts: 2,
      },
    ],
  );
});
