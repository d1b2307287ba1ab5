/*
 * The seed of random data in tests. It does not change, so that a run of the tests does not fail by chance at something
 * that the change at hand has nothing to do with. Other cases are tried on purpose: EVENTSTORE_LONG_TESTS=1 draws a new
 * seed each time, EVENTSTORE_TEST_SEED names one.
 */

const SEED = 20_261_122;

export function testSeed(): number {
  const named = Deno.env.get("EVENTSTORE_TEST_SEED");
  if (named !== undefined) return Number(named);
  return Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? Math.floor(Math.random() * 2 ** 31) : SEED;
}
