import type { ServerSettings } from "../config/load.ts";
import { DescriptorBudget } from "./descriptors.ts";

/** The approximate memory of a working reader. docs/decisions/performance.md has the measurements. */
const READER_BYTES = 15_000_000;

/** The number of readers that a server should have, and the setting that contains it. */
export interface ReadersWanted {
  readonly key: "readPoolSize" | "postgresPoolSize";
  readonly wanted: number;
}

export function readersOf({ postgres, readPoolSize }: ServerSettings): ReadersWanted {
  return postgres === undefined
    ? { key: "readPoolSize", wanted: readPoolSize }
    : { key: "postgresPoolSize", wanted: postgres.poolSize };
}

/** Returns why the machine cannot run so many readers, as one line. Undefined when it can. */
export function readersProblem(readersWanted: ReadersWanted): string | undefined {
  const { key, wanted } = readersWanted;
  const inMemory = Math.floor(Deno.systemMemoryInfo().total / READER_BYTES);
  // A reader of SQLite is a worker of this process. A reader of PostgreSQL is a process of the PostgreSQL server.
  if (key === "readPoolSize" && wanted > inMemory) {
    return `${key} (${wanted}) is more than the ${inMemory} readers for which there is memory here`;
  }
  const { readers } = new DescriptorBudget(wanted);
  return readers < wanted ? fewDescriptors(readersWanted, readers) : undefined;
}

/** Returns the warning for fewer readers than wanted. */
export function fewDescriptors({ key, wanted }: ReadersWanted, readers: number): string {
  return `${key} (${wanted}) is more than the ${readers} readers for which there are file ` +
    `descriptors (ulimit -n)`;
}
