import { TENANT } from "./side.ts";

type Below = (below: number) => number;

/** Random parts of requests from few values, so that they often meet. */
export class RandomValues {
  readonly below: Below;
  /** The query for every event. */
  readonly #every: string;
  readonly #none: string | undefined;

  constructor(below: Below, every: string, none: string | undefined) {
    this.below = below;
    this.#every = every;
    this.#none = none;
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  isLucky(of: number): boolean {
    return this.below(of) === 0;
  }

  #tags(): { name: string; value: string }[] {
    const tags = [
      { name: "course", value: this.one(["c1", "c2"]) },
      { name: "student", value: this.one(["s1", "s2"]) },
    ];
    return tags.filter(() => this.isLucky(2));
  }

  query(): unknown {
    if (this.isLucky(3)) return this.#every;
    if (this.#none !== undefined && this.isLucky(8)) return this.#none;
    return Array.from({ length: 1 + this.below(3) }, () => {
      const identifiers = this.#tags();
      if (this.isLucky(4)) identifiers.push({ name: "tenant", value: this.one(["t1", "t2", "t3"]) });
      const metadata = this.isLucky(5) ? [{ name: "by", value: "web" }] : [];
      const types = this.isLucky(2) || identifiers.length + metadata.length === 0 ? [this.type()] : [];
      return Object.fromEntries(
        Object.entries({ types, identifiers, metadata }).filter(([, list]) => list.length > 0),
      );
    });
  }

  type(): string {
    return this.one(["T1", "T2", "T3"]);
  }

  /** @param tenant one or more values, or none */
  event(tenant: string | readonly string[] | undefined): Record<string, unknown> {
    const tags = Object.fromEntries(this.#tags().map(({ name, value }) => [name, value]));
    return {
      type: this.type(),
      identifiers: { ...tags, ...tenant === undefined ? {} : { [TENANT.name]: tenant } },
      ...this.isLucky(3) ? { metadata: { by: "web" } } : {},
      // A page with several large ones is more than one chunk.
      payload: this.isLucky(6) ? "x".repeat(60_000) : String(this.below(1_000_000)),
    };
  }

  events(tenant: string | readonly string[] | undefined): Record<string, unknown>[] {
    return Array.from({ length: 1 + this.below(3) }, () => this.event(tenant));
  }

  key(): { type: string; id: string } {
    return { type: this.one(["p", "q"]), id: this.one(["1", "2", "a/b"]) };
  }
}
