/*
 * The seed of random data in tests. It does not change, so that no run fails by chance because of something that the
 * change at hand did not touch. Two variables try other cases: EVENTSTORE_LONG_TESTS=1 draws a new seed each time,
 * EVENTSTORE_TEST_SEED names one.
 */

const SEED = 20_261_122;

export function testSeed(): number {
  const named = Deno.env.get("EVENTSTORE_TEST_SEED");
  if (named !== undefined) return Number(named);
  return Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? Math.floor(Math.random() * 2 ** 31) : SEED;
}
