import type { EarlierRoot } from "../../model/earlier_roots.ts";
import { parseRootLines } from "../../wire/root_lines.ts";
import { RootsCheck } from "./roots_check.ts";

/** Roots of stores, as `eventstore-client verify --witness` keeps them in a file. */
export class KeptRoots {
  readonly #path: string;
  readonly #roots: readonly EarlierRoot[];

  /**
   * Reads the file.
   * @param storeIds the stores whose roots are needed
   * @throws Error that names the file, and the line at fault; also when it has no root of these stores
   */
  constructor(path: string, storeIds: readonly string[]) {
    this.#path = path;
    this.#roots = parseRootLines(path, textOf(path));
    if (this.#roots.some(({ storeId }) => storeIds.includes(storeId!))) return;
    const others = [...new Set(this.#roots.map(({ storeId }) => storeId))];
    if (others.length === 0) throw new Error(`${path} has no root`);
    throw new Error(`${path} has roots of store ${others.join(", ")}, which is not among the backups`);
  }

  /** Returns the check of a store's backup. Without a root of this store, it compares none. */
  checkOf(storeId: string): RootsCheck {
    const roots = this.#roots.filter((root) => root.storeId === storeId);
    return roots.length === 0 ? new RootsCheck() : new RootsCheck(this.#path, roots);
  }
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
