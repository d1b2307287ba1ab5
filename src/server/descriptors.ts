/** Descriptors of a worker with a connection: its event loop and SQLite's files. Eight were counted. */
const PER_WORKER = 10;

/**
 * Reserved for descriptors that are not always open: the worker that decodes large bodies (seven), the one that
 * preloads a large database (eight), files next to the database, profiles, a stale socket.
 */
const RESERVE = 16;

const CONNECTIONS_MAX = 2000;

/**
 * The connections to provide for at first. With so few, the kernel need not enlarge the process's table of
 * descriptors. Each enlargement takes 5 to 15 ms, and up to 2,000 connections there are four.
 */
const CONNECTIONS_AT_FIRST = 100;

/** The allocation of the descriptors that the process may open. */
interface DescriptorShares {
  readonly readers: number;
  readonly connections: number;
}

/** Allots descriptors to readers and connections. It counts free descriptors only as far as necessary. */
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

  /** True when there may be another connection in addition to the open ones. */
  hasCapacity(open: number): boolean {
    if (open >= this.#connections && this.#mayBeMore) this.#countFurther(open);
    return open < this.#connections;
  }

  /**
   * The maximum number of connections, once it is known. While half of the connections known to be possible are
   * free, no further count is made.
   */
  connectionsMax(open: number): number | undefined {
    if (this.#mayBeMore && 2 * open >= this.#connections) this.#countFurther(open);
    return this.#mayBeMore ? undefined : this.#connections;
  }

  /**
   * Checks whether twice as many connections are possible. It leaves enough for all workers, as if none had started
   * yet. Where the count reaches the limit, a reader that opens the database just then may find no descriptor. It is
   * then started again.
   */
  #countFurther(open: number): void {
    const wanted = Math.min(open, CONNECTIONS_MAX - open);
    const free = this.#countFree(this.#forStore + wanted) - this.#forStore;
    this.#connections = open + Math.max(0, free);
    this.#mayBeMore = free >= wanted && this.#connections < CONNECTIONS_MAX;
  }
}

/**
 * Allots the free descriptors, so that a flood of connections cannot take those that the store needs. Readers come
 * first, but get at most half, so that a low limit leaves some for both.
 */
export function shareDescriptors(free: number, readersWanted: number): DescriptorShares {
  const rest = Math.max(0, free - RESERVE - PER_WORKER);
  const readers = Math.max(1, Math.min(readersWanted, Math.floor(rest / 2 / PER_WORKER)));
  const connections = Math.max(1, Math.min(CONNECTIONS_MAX, rest - readers * PER_WORKER));
  return { readers, connections };
}

/**
 * Counts the free descriptors, up to `enough`. The runtime does not report the limit, so this opens files until that
 * fails.
 */
export function freeDescriptors(enough: number): number {
  const files: Deno.FsFile[] = [];
  try {
    // The shortest path, since the kernel resolves it at each opening: this is part of every start.
    while (files.length < enough) files.push(Deno.openSync("/"));
  } catch {
    // The limit is reached.
  }
  for (const file of files) file.close();
  return files.length;
}
