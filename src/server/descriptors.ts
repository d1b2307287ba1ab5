/** Descriptors that a worker with a connection takes: its event loop and SQLite's files. Eight were counted. */
const PER_WORKER = 10;

/**
 * Reserved for what is open only at times: the worker that decodes large bodies, which takes seven, files beside
 * the database, profiles, a stale socket.
 */
const RESERVE = 16;

const CONNECTIONS_MAX = 2000;

/**
 * Connections that are provided for at first. With so few the kernel need not enlarge the process's table of
 * descriptors, which takes it 5 to 15 ms each time, and up to 2,000 connections it does so four times.
 */
const CONNECTIONS_AT_FIRST = 100;

/** How the descriptors that the process may open are allotted. */
interface DescriptorShares {
  readonly readers: number;
  readonly connections: number;
}

/** Allots descriptors to readers and connections. How many there are is counted only as far as it matters yet. */
export class DescriptorBudget {
  readonly readers: number;
  #connections: number;
  #mayBeMore: boolean;
  readonly #forStore: number;
  readonly #countFree: (enough: number) => number;

  constructor(readersWanted: number, countFree = freeDescriptors) {
    const forReaders = PER_WORKER * readersWanted;
    this.#forStore = RESERVE + PER_WORKER + forReaders;
    this.#countFree = countFree;
    const enough = this.#forStore + Math.max(CONNECTIONS_AT_FIRST, forReaders);
    const free = countFree(enough);
    this.#mayBeMore = free >= enough;
    ({ readers: this.readers, connections: this.#connections } = shareDescriptors(free, readersWanted));
  }

  /** Whether there may be another connection beside those that are open. */
  hasCapacity(open: number): boolean {
    if (open >= this.#connections && this.#mayBeMore) this.#makeRoom(open);
    return open < this.#connections;
  }

  /**
   * How many connections there may be at most, once that is known: while half of those that are known to be possible
   * are free, nobody has counted further.
   */
  connectionsMax(open: number): number | undefined {
    if (this.#mayBeMore && 2 * open >= this.#connections) this.#makeRoom(open);
    return this.#mayBeMore ? undefined : this.#connections;
  }

  /**
   * Looks whether there may be twice as many. All workers are left enough, as if none had started yet. Where that
   * reaches the limit, a reader that opens the database just then may find no descriptor, and is started again.
   */
  #makeRoom(open: number): void {
    const wanted = Math.min(open, CONNECTIONS_MAX - open);
    const free = this.#countFree(this.#forStore + wanted) - this.#forStore;
    this.#connections = open + Math.max(0, free);
    this.#mayBeMore = free >= wanted && this.#connections < CONNECTIONS_MAX;
  }
}

/**
 * Allots the free descriptors so that no flood of connections takes those that the store needs.
 * Readers come first, but never more than half, so that a low limit leaves both some.
 */
export function shareDescriptors(free: number, readersWanted: number): DescriptorShares {
  const rest = Math.max(0, free - RESERVE - PER_WORKER);
  const readers = Math.max(1, Math.min(readersWanted, Math.floor(rest / 2 / PER_WORKER)));
  const connections = Math.max(1, Math.min(CONNECTIONS_MAX, rest - readers * PER_WORKER));
  return { readers, connections };
}

/**
 * How many descriptors are free, up to `enough`. The runtime does not report the limit, so a file is opened until
 * that fails.
 */
export function freeDescriptors(enough: number): number {
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
