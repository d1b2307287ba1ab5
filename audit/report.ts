/** A promise of the store did not hold. */
export class AuditFailure extends Error {
  override readonly name = "AuditFailure";

  /** @param faults the faults, in words */
  constructor(where: string, faults: readonly string[]) {
    super(`${where}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
  }
}

/** The counts of a check. They reach their minimums, or the check has failed. */
export type Figures = Readonly<Record<string, number>>;

/** The extent of a check: a number of rounds, or as many as fit into a time. */
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

  /** @param rounds the number of rounds done @returns how many more are allowed */
  left(rounds: number): number {
    return this.#roundsMax - rounds;
  }

  /** @param rounds the number of rounds done */
  isOver(rounds: number): boolean {
    return rounds >= this.#roundsMax || performance.now() >= this.#endsAt;
  }
}

/** The inputs of every check. */
export interface CheckContext {
  readonly edition: "A" | "B" | "C";
  readonly seed: number;
  readonly extent: Extent;
  /** An empty directory for everything that the check writes. It stays when the check fails. */
  readonly directory: string;
  /** The directory in which a check stores its measurements. */
  readonly record: string | undefined;
  /** The text with which a failed run can be repeated alone. */
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

/** Guards against operations that succeed, but too slowly or too rarely. @throws AuditFailure */
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
