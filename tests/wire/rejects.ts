import { readRead, readWrite } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

/** Tests that bodies, as text or as values, get `400` with exactly this detail. */

export function rejectsWrites(
  cause: string,
  cases: readonly (readonly [body: unknown, detail: string | RegExp])[],
): void {
  Deno.test(`a write is rejected: ${cause}`, () => {
    for (const [body, detail] of cases) expectInvalid(() => readWrite(body), detail);
  });
}

export function rejectsReads(
  cause: string,
  cases: readonly (readonly [body: unknown, detail: string | RegExp])[],
): void {
  Deno.test(`a read is rejected: ${cause}`, () => {
    for (const [body, detail] of cases) expectInvalid(() => readRead(body), detail);
  });
}

/** Tests that queries are rejected in a read and in a condition, with the name of the key before `detail`. */
export function rejectsQueries(
  cause: string,
  cases: readonly (readonly [query: unknown, detail: string])[],
): void {
  Deno.test(`a query is rejected: ${cause}`, () => {
    for (const [query, detail] of cases) {
      expectInvalid(() => readRead({ query }), `query${detail}`);
      const conditions = [{}, { failIfEventsMatch: query }];
      expectInvalid(() => readWrite({ conditions }), `conditions[1]: failIfEventsMatch${detail}`);
    }
  });
}
