/** Something that a store promises did not hold. */
export class AuditFailure extends Error {
  override readonly name = "AuditFailure";

  /** @param faults what is wrong, in words */
  constructor(where: string, faults: readonly string[]) {
    super(`${where}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
  }
}

/** What a check has done. Its floors are met, or it has failed. */
export type Figures = Readonly<Record<string, number>>;

/** How much a check does: so many rounds, or as many as fit into a time. */
export class Extent {
  readonly #roundsMax: number;
  readonly #endsAt: number;

  constructor(
    { rounds, minutes }: { readonly rounds?: number | undefined; readonly minutes?: number | undefined },
  ) {
    this.#roundsMax = rounds ?? Infinity;
    this.#endsAt = minutes === undefined ? Infinity : performance.now() + minutes * 60_000;
    if (rounds === undefined && minutes === undefined) {
      throw new Error("neither rounds nor minutes are given");
    }
  }

  /** @param rounds how many are done @returns how many more there may be */
  left(rounds: number): number {
    return this.#roundsMax - rounds;
  }

  /** @param rounds how many are done */
  isOver(rounds: number): boolean {
    return rounds >= this.#roundsMax || performance.now() >= this.#endsAt;
  }
}

/** What every check gets. */
export interface CheckContext {
  readonly edition: "A" | "B" | "C";
  readonly seed: number;
  readonly extent: Extent;
  /** An empty directory for everything that it writes; it stays when the check fails. */
  readonly directory: string;
  /** Where a check that measures writes what it has measured. */
  readonly record: string | undefined;
  /** What a failed run has named to be repeated alone. */
  readonly replay?: string | undefined;
}

/** A shorter run may miss something by chance. */
const ROUNDS_MIN = 20;

/** Guards against a check that passes because nothing has happened. @throws AuditFailure */
export function demand(
  where: string,
  rounds: number,
  floors: Readonly<Record<string, readonly [found: number, least: number]>>,
): void {
  if (rounds < ROUNDS_MIN) return;
  const low = Object.entries(floors).filter(([, [found, least]]) => !(found >= least));
  if (low.length === 0) return;
  throw new AuditFailure(
    `${where}, too little was tried`,
    low.map(([name, [found, least]]) => `${name}: ${found}, and it must be at least ${least}`),
  );
}

/** Guards against what works, but too slowly or too seldom. @throws AuditFailure */
export function limit(
  where: string,
  rounds: number,
  ceilings: Readonly<Record<string, readonly [found: number, most: number]>>,
): void {
  if (rounds < ROUNDS_MIN) return;
  const high = Object.entries(ceilings).filter(([, [found, most]]) => !(found <= most));
  if (high.length === 0) return;
  throw new AuditFailure(
    `${where}, beyond its limits`,
    high.map(([name, [found, most]]) => `${name}: ${found}, and it must be at most ${most}`),
  );
}
