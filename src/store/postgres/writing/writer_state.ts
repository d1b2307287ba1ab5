import type { CommittedEvent } from "../../feed/commit_feed.ts";
import type { StoreState } from "../../api/state.ts";
import { RecentTerms } from "../../core/recent_terms.ts";
import type { KnownState } from "../cluster/known_state.ts";
import { RecentKeys } from "./recent_keys.ts";
import { MustNotWrite } from "../cluster/write_ownership.ts";
import type { CountedState, StoreRow } from "../tables/state.ts";

/** The store as the write transactions of this server know it. */
export class WriterState {
  /** The store as the open write transaction sees it. */
  now: StoreState;
  /** The terms of recent events, those of the open write transaction too. */
  readonly recent: RecentTerms;
  /** The keys of subjects, those of the open write transaction too. */
  readonly keys: RecentKeys = new RecentKeys();
  readonly #known: KnownState;
  #committed: CountedState;

  constructor({ storeId, head, turn }: CountedState, known: KnownState) {
    this.#committed = { storeId, head, turn };
    this.now = this.#committed;
    this.recent = new RecentTerms(head);
    this.#known = known;
  }

  /** The store after the last commit that this server knows. */
  get committed(): CountedState {
    return this.#committed;
  }

  /** The last change is unknown, for example because a write transaction was rolled back. */
  forget(): void {
    this.now = this.#committed;
    this.recent.clear(this.#committed.head);
    this.keys.clear();
  }

  /** Records a commit of this server. */
  commit(after: CountedState): void {
    this.now = this.#committed = after;
    this.#known.ownTransaction(after);
  }

  /**
   * Continues from the locked row. The row may be ahead: other servers have committed, or this one has and did not
   * learn of it. It cannot be behind unless the database has returned to an earlier state.
   * @returns true when `remoteCommits` do not explain the change
   */
  follow({ storeId, head, turn }: StoreRow, remoteCommits: readonly CommittedEvent[]): boolean {
    const last = this.#committed;
    const isSame = storeId === last.storeId;
    const isAsLeft = isSame && head === last.head && turn.name === last.turn.name;
    const isOlder = turn.number < last.turn.number || (turn.number === last.turn.number && !isAsLeft);
    if (isOlder || (isSame && head < last.head)) {
      throw new MustNotWrite(
        `the database is not as this server left it: it ends at sequence ${head} and not at ${last.head}`,
      );
    }
    this.keys.begun(!isAsLeft);
    this.#committed = { storeId, head, turn };
    const isKnown = isSame && head === last.head + remoteCommits.length;
    if (!isKnown) this.recent.clear(head);
    this.now = this.#committed;
    if (turn.number !== last.turn.number) {
      const events = isKnown ? remoteCommits : [];
      for (const [i, { terms }] of events.entries()) this.recent.remember(last.head + 1 + i, terms);
      this.#known.update(this.#committed, last.head + 1, events);
    }
    return !isKnown;
  }
}
