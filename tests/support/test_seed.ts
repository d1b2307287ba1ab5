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

/** Random whole numbers from 0 to below `below`, the same ones for the same seed. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
