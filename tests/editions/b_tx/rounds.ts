/** How often a race is run: fewer times with every run of the tests, all of them with EVENTSTORE_LONG_TESTS=1. */
export function rounds(few: number, all: number): number {
  return Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? all : few;
}
