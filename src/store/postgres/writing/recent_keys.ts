import type { PresentKey } from "../tables/subjects.ts";

/** The most keys that are remembered, about 300 bytes each. */
const KEYS_MAX = 10_000;

/**
 * The keys of subjects that recent writes of this server have used, so that the next ones need not ask for them. They are
 * true as long as no other server writes, since that may have forgotten a subject.
 */
export class RecentKeys {
  readonly #keys = new Map<string, PresentKey>();
  #isShared = false;

  /** @param token that of a subject. @returns undefined when nothing is known of it */
  get(token: string): PresentKey | undefined {
    return this.#keys.get(token);
  }

  /** Remembers a key as the open transaction sees it. */
  remember(token: string, key: PresentKey): void {
    // Next to servers that write, a memory would be outdated more often than not, and cost a second question.
    if (this.#isShared) return;
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear();
    this.#keys.set(token, key);
  }

  /** A write transaction has begun. @param othersWrote true when others have written since the last one */
  begun(othersWrote: boolean): void {
    this.#isShared = othersWrote;
    if (othersWrote) this.#keys.clear();
  }

  clear(): void {
    this.#keys.clear();
  }
}
