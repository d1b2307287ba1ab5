/** Descriptors that a worker with a connection takes: its event loop and SQLite's files. Eight were counted. */
const PER_WORKER = 10;

/**
 * Reserved for what is open only at times: the worker that decodes large bodies, which takes seven, files beside
 * the database, profiles, a stale socket.
 */
const RESERVE = 16;

const CONNECTIONS_MAX = 2000;

/** How the descriptors that the process may open are allotted. */
export interface DescriptorBudget {
  readonly readers: number;
  readonly connections: number;
}

/**
 * Allots the free descriptors so that no flood of connections takes those that the store needs.
 * Readers come first, but never more than half, so that a low limit leaves both some.
 */
export function shareDescriptors(free: number, readersWanted: number): DescriptorBudget {
  const rest = Math.max(0, free - RESERVE - PER_WORKER);
  const readers = Math.max(1, Math.min(readersWanted, Math.floor(rest / 2 / PER_WORKER)));
  const connections = Math.max(1, Math.min(CONNECTIONS_MAX, rest - readers * PER_WORKER));
  return { readers, connections };
}

/**
 * How many descriptors are free, as far as it matters. The runtime does not report the limit, so a file is
 * opened until that fails.
 */
export function freeDescriptors(readersWanted: number): number {
  const enough = RESERVE + PER_WORKER * (1 + readersWanted) + CONNECTIONS_MAX;
  const files: Deno.FsFile[] = [];
  try {
    // The shortest path, since each opening looks for it anew: this is part of every start.
    while (files.length < enough) files.push(Deno.openSync("/"));
  } catch {
    // The limit is reached.
  }
  for (const file of files) file.close();
  return files.length;
}
