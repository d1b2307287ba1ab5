/** A change of one place in the source. What is to be found there must be there once. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody might make, and the check that must notice it. */
export interface Bug {
  /** In a few words. */
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly caughtBy: Catcher;
}

/** A check of the audit, with so many rounds; or the tests of one file. */
export type Catcher =
  | { readonly check: string; readonly edition: "A" | "B" | "C"; readonly rounds: number }
  | { readonly tests: string };

/** @throws Error when the source has changed, so that the bug no longer has its place */
export function withEdit(text: string, { file, find, replace }: Edit): string {
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} places, not one, with:\n${find}`);
  return text.replace(find, () => replace);
}
