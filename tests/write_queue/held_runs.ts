import { settled } from "./fake_writer.ts";

/** Runs by name, which go on until the test ends them. */
export class HeldRuns {
  /** Those that were begun, in order. */
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
