import type { BlockTree } from "../../model/block_tree.ts";
import { type EarlierRoot, EarlierRoots } from "../../model/earlier_roots.ts";

/** Computes the root of a backup, and compares those of its first events with roots that were kept elsewhere. */
export class RootsCheck {
  readonly #earlier: EarlierRoots;
  /** The file with the earlier roots, if there is one. */
  readonly #path: string | undefined;
  #change: string | undefined;
  /** The root over all events, once all have been read. */
  root: string | undefined;

  constructor(path?: string, earlier: readonly EarlierRoot[] = []) {
    this.#path = path;
    this.#earlier = new EarlierRoots(earlier);
  }

  /** True when there are roots to compare with. */
  get isComparing(): boolean {
    return this.#path !== undefined;
  }

  /** The number of roots that were compared. */
  get compared(): number {
    return this.#earlier.compared;
  }

  /** Compares the roots at the last event of the tree. It must be called before the first event, and after each. */
  see(tree: BlockTree): void {
    this.#change ??= this.#earlier.compare(tree);
  }

  /** Ends the check with the tree over all events. @returns the fault, if there is one */
  end(tree: BlockTree): string | undefined {
    this.root = tree.root;
    if (this.#change !== undefined || this.#path === undefined || this.compared > 0) return this.#change;
    return `it ends with event ${tree.count}, before the first root of ${this.#path}`;
  }
}
