/** Maps the IDs of a subject, of stores or versions of projections, to the numbers of a reference. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  /** Returns the number of a name. A new name takes the expected number if it is free. */
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

  /** Returns any name except the one of this number. */
  otherThan(unwanted: number): string | undefined {
    return this.#find((number) => number !== unwanted);
  }

  #find(isWanted: (number: number) => boolean): string | undefined {
    for (const [name, number] of this.#numbers) if (isWanted(number)) return name;
    return undefined;
  }
}
