import type { KeysById } from "../../core/sealing/sealed_lines.ts";

/** The most keys that are remembered, about 200 bytes each. */
const KEYS_MAX = 10_000;

/**
 * Keys that reads have used, so that the next ones need not ask for them. The store has a name that changes whenever keys
 * are destroyed: in a snapshot with the same name, keys are still in use.
 */
export class RememberedKeys {
  #name = "";
  #keys = new Map<string, Uint8Array>();

  /**
   * Finds keys, without those that are gone.
   * @param name that of the snapshot
   * @param read reads keys in the same snapshot
   */
  async find(
    name: string,
    ids: readonly string[],
    read: (ids: readonly string[]) => Promise<KeysById>,
  ): Promise<KeysById> {
    const known = name === this.#name ? this.#keys : new Map<string, Uint8Array>();
    const unknown = ids.filter((id) => !known.has(id));
    const found = new Map<string, Uint8Array>(unknown.length === 0 ? [] : await read(unknown));
    this.#remember(name, found);
    for (const id of ids) {
      const key = known.get(id);
      if (key !== undefined) found.set(id, key);
    }
    return found;
  }

  #remember(name: string, found: KeysById): void {
    if (name !== this.#name || this.#keys.size + found.size > KEYS_MAX) this.#keys = new Map();
    this.#name = name;
    // A copy, so that the other received bytes can be freed.
    for (const [id, key] of found) this.#keys.set(id, key.slice());
  }
}
