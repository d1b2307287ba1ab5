import { settled } from "./fake_writer.ts";

/** Runs by name, each of which continues until the test ends it. */
export class HeldRuns {
  /** The runs that were begun, in order. */
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  begin(name: string): Promise<string> {
    this.begun.push(name);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#ends.set(name, () => resolve(name));
    return promise;
  }

  end(name: string): Promise<void> {
    this.#ends.get(name)!();
    return settled();
  }
}
