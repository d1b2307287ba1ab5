/** A mistake in a program: a mark stands before the place that the compiler should name; then its message. */
export type WrongProgram = readonly [code: string, message: string];

/** The code before each program: a library, as a user would declare it. */
export const PRELUDE = `
import { type DecisionModel, type DecisionModelByType, EventStore, type Identified } from "eventstore-client";
interface Events {
  BookAcquired: { copies: number };
  BookLent: { by: string };
  BookLost: null;
}
const store = new EventStore<Events>({ url: "http://127.0.0.1:8085" });
const lent: DecisionModel<Events, number> = { query: { types: ["BookLent"] }, initial: 0, apply: (n) => n + 1 };
const lentTo: DecisionModelByType<Events, string> = {
  query: { identifiers: { book: "b1" } },
  initial: "",
  on: { BookLent: (_, event) => event.payload.by },
};
interface NamedEvents {
  BookAcquired: Identified<{ copies: number }, "book">;
  BookLent: Identified<{ by: string }, "book" | "reader", "branch">;
}
const named = new EventStore<NamedEvents>({ url: "http://127.0.0.1:8085" });
void [store, lent, lentTo, named];
`;

export const WRONG_PROGRAMS: readonly WrongProgram[] = [
  [
    `await store.append({ type: "BookLent", payload: { /*!*/by: 1 } });`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.append({ /*!*/type: "BookLend", payload: { by: "Ada" } });`,
    `Type '"BookLend"' is not assignable to type '"BookAcquired" | "BookLent" | "BookLost"'. Did you mean '"BookLent"'?`,
  ],
  [
    `await store.append(/*!*/{ type: "BookLent" });`,
    `Argument of type '{ type: "BookLent"; }' is not assignable to parameter of type 'OneOrMore<NewEvent<Events>>'.`,
  ],
  [
    `await store.append({ type: "BookLent", payload: { by: "Ada", /*!*/to: "Bob" } });`,
    `Object literal may only specify known properties, and 'to' does not exist in type '{ by: string; }'.`,
  ],
  [
    `await store.append({ type: "BookLost", /*!*/payload: {} });`,
    `Type '{}' is not assignable to type 'null'.`,
  ],
  [
    `await store.append({ type: "BookLost", identifiers: { /*!*/book: 1 }, payload: null });`,
    `Type 'number' is not assignable to type 'string | readonly string[]'.`,
  ],
  [
    `await store.append({ type: "BookLost", /*!*/identifier: { book: "b1" }, payload: null });`,
    `Object literal may only specify known properties, but 'identifier' does not exist in type '...'. Did you mean to write 'identifiers'?`,
  ],
  [
    `await store.writeOnce("k", [
      { type: "BookLost", payload: null },
      { type: "BookLent", payload: { /*!*/by: 1 } },
    ]);`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.read({ types: [/*!*/"BookLend"] });`,
    `Type '"BookLend"' is not assignable to type 'TypeOf<Events>'. Did you mean '"BookLent"'?`,
  ],
  [
    `await store.read({ /*!*/type: ["BookLent"] });`,
    `Object literal may only specify known properties, but 'type' does not exist in type '...'. Did you mean to write 'types'?`,
  ],
  [
    `await store.read({ types: ["BookLent"], /*!*/identifier: { book: "b1" } });`,
    `Type '{ book: "b1"; }' is not assignable to type '...'.`,
  ],
  [
    `await store.read([{ types: ["BookLent"] }, { types: ["BookLost"], /*!*/meta: { a: "1" } }]);`,
    `Type '{ a: "1"; }' is not assignable to type '...'.`,
  ],
  [
    `await store.read(/*!*/"all");`,
    `Argument of type '"all"' is not assignable to parameter of type 'Query<Events>'.`,
  ],
  [
    `for await (const { payload } of store.readAll({ types: ["BookAcquired"] })) payload./*!*/by;`,
    `Property 'by' does not exist on type '{ copies: number; }'.`,
  ],
  [
    `const query = [{ types: ["BookLent"] }, { types: ["BookAcquired"] }] as const;
    for await (const { payload } of store.readAll(query)) payload./*!*/by;`,
    `Property 'by' does not exist on type '{ copies: number; } | { by: string; }'.`,
  ],
  [
    `for await (const { events } of store.follow({ types: ["BookLent"] })) events[0]?.payload./*!*/copies;`,
    `Property 'copies' does not exist on type '{ by: string; }'.`,
  ],
  [
    `(await store.read("*", { backwards: true }))./*!*/position;`,
    `Property 'position' does not exist on type 'BackwardsPage<Events, TypeOf<Events>>'.`,
  ],
  [
    `await store.append([], { /*!*/conditions: { query: "*", after: 3 } });`,
    `Type '{ query: "*"; after: number; }' is not assignable to type 'OneOrMore<Condition<Events>> | undefined'.`,
  ],
  [
    `await store.decide(lent, () => ({ type: "BookLent", payload: { /*!*/by: 1 } }));`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.decide(lent, () => [{ type: "BookLent", payload: { /*!*/by: 1 } }]);`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.decide({ lent }, ({ lent }) => ({ type: "BookLent", payload: { /*!*/by: lent } }));`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.decide(lent, async () => /*!*/({ type: "BookLent", payload: { by: 1 } }));`,
    `Type '...' is not assignable to type 'DecisionSoon<Events, undefined>'.`,
  ],
  [
    `await store.decide(lent, () => ({ events: { type: "BookLent", payload: { /*!*/by: 1 } }, result: 1 }));`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await store.decide(lent, /*!*/(n) => {
      if (n) return;
      return { type: "BookLent", payload: { by: 1 } };
    });`,
    `Argument of type '...' is not assignable to parameter of type '...'.`,
  ],
  [
    `await store.decide({ lent }, ({ /*!*/lend }) => void lend);`,
    `Property 'lend' does not exist on type '{ lent: number; }'.`,
  ],
  [
    `await store.decide(lent, (lent) => void lent./*!*/length);`,
    `Property 'length' does not exist on type 'number'.`,
  ],
  [
    `(await store.decide(lent, (lent) => ({ result: lent }))).result./*!*/length;`,
    `Property 'length' does not exist on type 'number'.`,
  ],
  [
    `await store.decide({ /*!*/query: { types: ["BookLend"] }, initial: 0, apply: (n) => n + 1 }, () => {});`,
    `Type '{ types: "BookLend"[]; }' is not assignable to type '...'.`,
  ],
  [
    `const query = { types: ["BookAcquired"] } as const;
    await store.decide({ query, initial: 0, apply: (n, e) => n + e.payload./*!*/by }, () => {});`,
    `Property 'by' does not exist on type '{ copies: number; }'.`,
  ],
  [
    `await store.decide({ query: "*", initial: 0, /*!*/apply: (n) => \`\${n}\` }, () => {});`,
    `Type '(n: number) => string' is not assignable to type '...'.`,
  ],
  [
    `await store.decide({ query: "*", initial: 0, on: { BookLent: (n, e) => n + e.payload./*!*/copies } }, () => {});`,
    `Property 'copies' does not exist on type '{ by: string; }'.`,
  ],
  [
    `export const model: DecisionModelByType<Events, number> = {
      query: "*",
      initial: 0,
      on: { /*!*/BookLend: (n) => n },
    };`,
    `Object literal may only specify known properties, but 'BookLend' does not exist in type 'ApplyByType<Events, number>'. Did you mean to write 'BookLent'?`,
  ],
  [
    `export const model: DecisionModel<Events, number> = {
      query: { types: [/*!*/"BookLend"] },
      initial: 0,
      apply: (n) => n,
    };`,
    `Type '"BookLend"' is not assignable to type 'TypeOf<Events>'. Did you mean '"BookLent"'?`,
  ],
  [
    `store.project("lent", {
      query: { types: ["BookLent"] },
      key: (e) => e.payload./*!*/copies,
      initial: 0,
      apply: (n) => n,
    });`,
    `Property 'copies' does not exist on type '{ by: string; }'.`,
  ],
  [
    `store.project("lent", {
      query: "*",
      key: (e) => e.payload ? "b1" : undefined,
      initial: 0,
      on: { BookLent: (n, e) => n + e.payload./*!*/copies },
    });`,
    `Property 'copies' does not exist on type '{ by: string; }'.`,
  ],
  [
    `await named.append({ type: "BookAcquired", identifiers: { /*!*/bok: "b1" }, payload: { copies: 1 } });`,
    `Object literal may only specify known properties, but 'bok' does not exist in type '...'. Did you mean to write 'book'?`,
  ],
  [
    `await named.append({ type: "BookAcquired", identifiers: { book: "b1", /*!*/reader: "r1" }, payload: { copies: 1 } });`,
    `Object literal may only specify known properties, and 'reader' does not exist in type '...'.`,
  ],
  [
    `await named.append({ type: "BookLent", /*!*/identifiers: { book: "b1" }, payload: { by: "Ada" } });`,
    `Type '{ book: string; }' is not assignable to type '...'.`,
  ],
  [
    `await named.append(/*!*/{ type: "BookAcquired", payload: { copies: 1 } });`,
    `Argument of type '...' is not assignable to parameter of type 'OneOrMore<NewEvent<NamedEvents>>'.`,
  ],
  [
    `await named.append({ type: "BookLent", identifiers: { book: "b1", reader: "r1" }, payload: { /*!*/by: 1 } });`,
    `Type 'number' is not assignable to type 'string'.`,
  ],
  [
    `await named.read({ identifiers: { /*!*/bok: "b1" } });`,
    `Argument of type '{ identifiers: { bok: string; }; }' is not assignable to parameter of type 'Query<NamedEvents>'.`,
  ],
  [
    `await named.read([{ types: ["BookLent"] }, { identifiers: { book: "b1", /*!*/raeder: "r1" } }]);`,
    `Type '"r1"' is not assignable to type '"r1" & ["no type of event has this identifier"]'.`,
  ],
  [
    `await named.append([], { conditions: { query: { identifiers: { /*!*/bok: "b1" } } } });`,
    `Type '{ query: { identifiers: { bok: string; }; }; }' is not assignable to type 'OneOrMore<Condition<NamedEvents>> | undefined'.`,
  ],
  [
    `await named.decide({ query: { identifiers: { book: "b1", /*!*/bok: "b1" } }, initial: 0, apply: (n) => n }, () => {});`,
    `Type '"b1"' is not assignable to type '"b1" & ["no type of event has this identifier"]'.`,
  ],
  [
    `for await (const { identifiers } of named.readAll({ types: ["BookAcquired"] })) identifiers./*!*/reader;`,
    `Property 'reader' does not exist on type '...'.`,
  ],
  [
    `await named.consume("c", { query: "*", /*!*/by: "bok", handle: () => {} });`,
    `Type '"bok"' is not assignable to type '...'. Did you mean '"book"'?`,
  ],
  [
    `await named.forget({ /*!*/name: "raeder", value: "r1" });`,
    `Type '"raeder"' is not assignable to type 'IdentifierName<NamedEvents>'. Did you mean '"reader"'?`,
  ],
];
