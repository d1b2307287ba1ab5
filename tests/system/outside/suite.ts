/** The tests of a suite after a run: how many passed, and the others by name. */
export interface Outcome {
  /** With `random` tests, a number that at least pass. */
  readonly passed: number;
  /** The names of failed tests, as the suite prints them. */
  readonly failed: readonly string[];
  /** The names of tests that the suite left out, since the store or the adapter lacks what they need. */
  readonly notRun: readonly string[];
}

/** A suite of others, installed from its registry. */
export interface Suite {
  /** The word that chooses it, alone or with its other versions, such as `schemathesis`. */
  readonly word: string;
  /** Its row in docs/compatibility.md, such as `schemathesis, edition A`. */
  readonly name: string;
  /** The version that the house pins. */
  readonly version: string;
  /** True if runs have different numbers of tests. Then the page has a number that every run reaches. */
  readonly random: boolean;
  /** Installs it, runs it on servers that it starts, and stops them. */
  run(): Promise<Outcome>;
}
