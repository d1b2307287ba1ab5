import type { ChildProcess } from "./child_process.ts";
import type { Address } from "./connection.ts";
import { type Measured, measuredOver, type Round, type Timing } from "./measure.ts";

const WARM_UP_SECONDS = 0.5;

/** Rows that are compared alternate, so that all of them see the same changes of the machine. */
const ROUNDS = 3;

export type Rows<Name extends string> = Readonly<Record<Name, (timing: Timing) => Promise<Round>>>;

export interface Rounds<Name extends string> {
  /** How long each row is measured, in seconds. */
  readonly seconds: number;
  /** Called with each row as soon as it has been measured. */
  readonly onRow: (name: Name, measured: Measured) => void;
}

/** A row of a server, with its CPU time and memory. */
export function on(
  { address, pid }: ChildProcess,
  row: (address: Address, timing: Timing) => Promise<Round>,
): (timing: Timing) => Promise<Round> {
  return (timing) => row(address, { ...timing, server: pid });
}

/** Measures rows in alternation. */
export async function measureRows<Name extends string>(
  { seconds, onRow }: Rounds<NoInfer<Name>>,
  rows: Rows<Name>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(rows) as Name[];
  const rounds = new Map<Name, Round[]>(names.map((name) => [name, []]));
  const timing = { warmUpSeconds: WARM_UP_SECONDS, seconds: seconds / ROUNDS };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) rounds.get(name)!.push(await rows[name](timing));
  }
  const measured = names.map((name) => [name, measuredOver(rounds.get(name)!)] as const);
  for (const [name, row] of measured) onRow(name, row);
  return Object.fromEntries(measured) as Record<Name, Measured>;
}
