/** Returns the number of rounds of a race: few in normal test runs, all with EVENTSTORE_LONG_TESTS=1. */
export function rounds(few: number, all: number): number {
  return Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? all : few;
}
