/** The names that a subject gives to what a reference numbers: stores, versions of projections. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a name. One that was never seen takes the number that is expected, if that is free. */
  numberOf(name: string | undefined, expected: unknown): number | string | undefined {
    if (name === undefined) return undefined;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (typeof expected !== "number" || this.nameOf(expected) !== undefined) return name;
    this.#numbers.set(name, expected);
    return expected;
  }

  nameOf(wanted: number): string | undefined {
    return this.#find((number) => number === wanted);
  }

  /** Any name but that of one number. */
  otherThan(unwanted: number): string | undefined {
    return this.#find((number) => number !== unwanted);
  }

  #find(isWanted: (number: number) => boolean): string | undefined {
    for (const [name, number] of this.#numbers) if (isWanted(number)) return name;
    return undefined;
  }
}
