/*
 * Tests that mostly wait. All tests of a file start with the first one, and each reports its own outcome.
 */

const scenarios = new Map<string, () => Promise<void>>();
let running: Map<string, Promise<void>> | undefined;

export function sideBySide(name: string, run: () => Promise<void>): void {
  scenarios.set(name, run);
  Deno.test({ name, fn: () => begun().get(name)!, sanitizeOps: false, sanitizeResources: false });
}

function begun(): Map<string, Promise<void>> {
  running ??= new Map([...scenarios].map(([name, run]) => {
    const outcome = run();
    // The test of this name reports the error.
    outcome.catch(() => {});
    return [name, outcome];
  }));
  return running;
}
