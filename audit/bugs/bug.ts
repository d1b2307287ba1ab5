/** One change in the source. The text to find must occur exactly once. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that a developer might make, and the check that must notice it. */
export interface Bug {
  /** In a few words. */
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly caughtBy: Catcher;
}

/** A check of the audit with a number of rounds, or the tests of one file. */
export type Catcher =
  | { readonly check: string; readonly edition: "A" | "B" | "C"; readonly rounds: number }
  | { readonly tests: string };

/** @throws Error when the source has changed, so that the bug can no longer be planted */
export function withEdit(text: string, { file, find, replace }: Edit): string {
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} places, not one, with:\n${find}`);
  return text.replace(find, () => replace);
}
