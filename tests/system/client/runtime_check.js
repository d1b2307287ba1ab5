// Uses everything that the client can do in edition A, on every runtime and in browsers. Anything wrong is an error.
// The result is the number of events that it has followed.

function same(actual, expected) {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${one} instead of ${other}`);
}

const model = { query: { types: ["Counted"] }, initial: 0, apply: (sum, event) => sum + event.payload.by };

export async function check({ Conflict, EventStore, StoreReset }, { closed, ...options }) {
  const store = new EventStore(options);
  const from = (await store.head()).sequence;
  const word = `run ${Math.random()}`;
  const query = { types: ["Counted"], identifiers: { word } };
  const event = { type: "Counted", identifiers: { word }, payload: { by: 1, text: "\u00fc \u{1F600}" } };

  const { events } = await store.append([event, event]);
  same(events.map(({ sequence }) => sequence), [from + 1, from + 2]);
  const rejected = await store.append(event, { conditions: { query } }).catch((error) => error);
  same([rejected instanceof Conflict, rejected.name, rejected.conflict], [true, "Conflict", {
    condition: 0,
    sequence: from + 1,
  }]);
  const page = await store.read(query, { limit: 1 });
  same([page.hasMore, page.events[0].payload], [true, event.payload]);
  const read = [];
  for await (const { sequence } of store.readAll(query, { limit: 1 })) read.push(sequence);
  same(read, [from + 1, from + 2]);

  const decisions = Array.from(
    { length: 5 },
    () => store.decide({ ...model, query }, (sum) => ({ ...event, payload: { by: sum } })),
  );
  await Promise.all(decisions);
  same((await store.read(query)).events.map(({ payload }) => payload.by), [1, 1, 2, 4, 8, 16, 32]);
  const once = await store.writeOnce(word, event);
  same(await store.writeOnce(word, event), { events: once.events, repeated: true });

  const followed = [];
  for await (const { events, checkpoint } of store.follow(query)) {
    followed.push(...events);
    if (followed.length === 8) store.append(event);
    if (followed.length < 9) continue;
    same(checkpoint.sequence, from + 9);
    break;
  }
  for await (const { state } of store.project(word, { ...model, query })) {
    same(state, 66);
    break;
  }
  if (closed) {
    const { code, message, outcomeUnknown } = await new EventStore(closed).append(event).catch((error) =>
      error
    );
    same([code, outcomeUnknown], ["NeverReached", false]);
    same(
      message.replace(/\S+ \(/, "... ("),
      `cannot reach ... (${closed.url ? "connection refused" : "no such socket"})`,
    );
  }
  const position = { storeId: "another", sequence: 1 };
  const reset = await store.read("*", { after: position }).catch((error) => error);
  same([reset instanceof StoreReset, reset.position], [true, position]);
  const controller = new AbortController();
  const waiting = store.read({ types: ["never"] }, { waitSeconds: 60, signal: controller.signal });
  setTimeout(() => controller.abort(new Error("enough")), 50);
  same((await waiting.catch((error) => error)).message, "enough");
  return followed.length;
}

/** Checks that a payload is read in its newest version, and that a wrong one is rejected. */
export async function checkSchemas({ EventStore }, { versions }, { closed: _closed, ...place }) {
  const schema = (key) => ({
    "~standard": {
      version: 1,
      vendor: "check",
      validate: (value) => key in value ? { value } : { issues: [{ message: "missing", path: [key] }] },
    },
  });
  const type = "Versioned";
  const old = versions(schema("a"));
  await new EventStore({ ...place, schemas: { [type]: old } }).append({ type, payload: { a: 1 } });
  const newest = old.next(schema("b"), ({ a }) => ({ b: a }));
  const store = new EventStore({ ...place, schemas: { [type]: newest } });
  same((await store.read({ types: [type] })).events.map(({ payload }) => payload), [{ b: 1 }]);
  const { message } = await store.append({ type, payload: {} }).catch((error) => error);
  same(message, "events[0] (type Versioned): payload.b: missing");
}
