import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { decisionModel, type EventsOf, EventStore } from "../../client/mod.ts";
import { identified, versions } from "../../client/schemas/mod.ts";

/*
 * The types that the compiler infers from schemas, and the mistakes that it rejects. `deno check` is the test: it fails
 * when an expected error does not occur.
 */

const url = "http://127.0.0.1:8085";

async function inferred(): Promise<void> {
  const store = new EventStore({
    url,
    schemas: {
      Zod: z.object({ cents: z.number(), note: z.string().optional() }),
      Valibot: v.object({ cents: v.number() }),
      ArkType: type({ cents: "number", "tags?": "string[]" }),
      Void: z.null(),
      Old: versions(z.object({ cents: z.number() }))
        .next(v.object({ cents: v.number(), currency: v.string() }), (old) => ({ ...old, currency: "EUR" }))
        .next(
          z.object({ price: z.string() }),
          (old, { time }) => ({ price: old.cents + old.currency + time }),
        ),
    },
  });
  for await (const event of store.readAll("*")) {
    if (event.type === "Zod") {
      event.payload.cents satisfies number;
      event.payload.note satisfies string | undefined;
    } else if (event.type === "Valibot") event.payload satisfies { cents: number };
    else if (event.type === "ArkType") event.payload.tags satisfies string[] | undefined;
    else if (event.type === "Void") event.payload satisfies null;
    else {
      event.payload.price satisfies string;
      // @ts-expect-error only older versions have it
      event.payload.cents;
    }
  }
  await store.append([{ type: "Zod", payload: { cents: 1 } }, { type: "Old", payload: { price: "1" } }]);
  await store.decide({ query: { types: ["Old"] }, initial: "", apply: (_, event) => event.type }, () => ({
    type: "Void",
    payload: null,
  }));
  // @ts-expect-error a wrong payload
  await store.append({ type: "Zod", payload: { cents: "1" } });
  // @ts-expect-error an older version
  await store.append({ type: "Old", payload: { cents: 1 } });
  // @ts-expect-error no such type
  await store.append({ type: "Zd", payload: { cents: 1 } });
  // @ts-expect-error no such type in a query
  store.readAll({ types: ["Zd"] });
  // @ts-expect-error an upcast must give the payload of its version
  versions(z.object({ a: z.number() })).next(z.object({ b: z.number() }), (old) => old);
  // @ts-expect-error not a schema
  new EventStore({ url, schemas: { Zod: { cents: "number" } } });
}

function named(): void {
  const schemas = {
    Zod: z.object({ cents: z.number() }),
    Old: versions(z.null()).next(z.string(), () => ""),
  };
  type Named = EventsOf<typeof schemas>;
  decisionModel<Named, number>({
    query: { types: ["Zod"] },
    initial: 0,
    apply: (sum, event) => event.type === "Zod" ? sum + event.payload.cents : event.payload.length,
  });
  new EventStore({ url, schemas }) satisfies EventStore<Named>;
}

async function identifiedByName(): Promise<void> {
  const schemas = {
    Zod: identified(z.object({ cents: z.number() }), ["order"], ["customer"]),
    Old: identified(versions(z.null()).next(z.string(), () => ""), ["order"]),
  };
  const store = new EventStore({ url, schemas });
  await store.append({ type: "Zod", identifiers: { order: "o1" }, payload: { cents: 1 } });
  for await (const event of store.readAll({ identifiers: { customer: "c1" } })) {
    event.identifiers.order satisfies string | readonly string[];
    if (event.type === "Zod") event.payload.cents satisfies number;
    else event.payload satisfies string;
  }
  // @ts-expect-error an identifier is missing
  await store.append({ type: "Old", identifiers: {}, payload: "" });
  // @ts-expect-error no such identifier
  store.readAll({ identifiers: { shop: "s1" } });
  // @ts-expect-error a wrong payload
  await store.append({ type: "Zod", identifiers: { order: "o1" }, payload: { cents: "1" } });
}

interface Events {
  Declared: { cents: number };
}

async function declared(): Promise<void> {
  new EventStore<Events>({ url, schemas: { Declared: z.object({ cents: z.number() }) } });
  // @ts-expect-error another payload than that of the map
  new EventStore<Events>({ url, schemas: { Declared: z.object({ cents: z.string() }) } });
  // @ts-expect-error a type of the map has no schema
  new EventStore<Events>({ url, schemas: {} });
  const untyped = new EventStore({ url });
  await untyped.append({ type: "Any", payload: 1 });
  for await (const event of untyped.readAll("*")) event.payload satisfies unknown;
}

Deno.test("the types of payloads follow from schemas, as the compiler has checked", () => {
  void [inferred, named, identifiedByName, declared];
});
