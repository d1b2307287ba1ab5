import type { ServerSettings } from "../config/load.ts";
import { DescriptorBudget } from "./descriptors.ts";

/** Memory of a reader at work, about. docs/decisions/performance.md has what was measured. */
const READER_BYTES = 15_000_000;

/** How many readers a server is to have, and the setting that says so. */
export interface ReadersWanted {
  readonly key: "readPoolSize" | "postgresPoolSize";
  readonly wanted: number;
}

export function readersOf({ postgres, readPoolSize }: ServerSettings): ReadersWanted {
  return postgres === undefined
    ? { key: "readPoolSize", wanted: readPoolSize }
    : { key: "postgresPoolSize", wanted: postgres.poolSize };
}

/** Why the machine cannot carry so many readers, as a line; undefined when it can. */
export function readersProblem(readersWanted: ReadersWanted): string | undefined {
  const { key, wanted } = readersWanted;
  const inMemory = Math.floor(Deno.systemMemoryInfo().total / READER_BYTES);
  // A reader of SQLite is a worker of ours, one of PostgreSQL a process of its server.
  if (key === "readPoolSize" && wanted > inMemory) {
    return `${key} (${wanted}) is more than the ${inMemory} readers for which there is memory here`;
  }
  const { readers } = new DescriptorBudget(wanted);
  return readers < wanted ? fewDescriptors(readersWanted, readers) : undefined;
}

/** What is said when there are fewer readers than wanted. */
export function fewDescriptors({ key, wanted }: ReadersWanted, readers: number): string {
  return `${key} (${wanted}) is more than the ${readers} readers for which there are file ` +
    `descriptors (ulimit -n)`;
}
