import type { Client } from "../../tests/support/client.ts";
import { AuditFailure } from "../report.ts";
import { emptyStore, type StoreContent } from "../history/store_content.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import { readOverHttp } from "../history/read_over_http.ts";
import type { Entry } from "../history/record.ts";

export interface Compared {
  acknowledged: number;
  rejected: number;
  /** Acts under way when the server died. */
  open: number;
  events: number;
  /** Events of the type that has a follower of its own. */
  followedType: number;
}

/** The type of the second follower; the first one follows all events. */
export const FOLLOWED_TYPE = "moved";

/**
 * Compares a store with the answers that its clients received, round after round. Each time it reads only the new
 * events, so that an hour takes no more memory than a minute.
 */
export class Comparison {
  readonly tally: Compared = { acknowledged: 0, rejected: 0, open: 0, events: 0, followedType: 0 };
  readonly #every: "all" | "*";
  /** Holds only the last event, which is read again. It represents the earlier ones until the end. */
  #found: StoreContent;

  /** @param every the query of all events in the edition @param storeId the ID of an empty store */
  constructor(every: "all" | "*", storeId: string) {
    this.#every = every;
    this.#found = emptyStore(storeId);
  }

  /** @param entries the entries of a round whose acts have all ended @throws AuditFailure */
  async add(where: string, client: Client, entries: readonly Entry[]): Promise<void> {
    const attempts = attemptsIn(entries);
    const changed = attempts.flatMap(({ act }) => act.kind === "write" ? act.projections : []);
    const names = [...changed, ...this.#found.projections];
    const distinct = new Map(names.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
    const after = Math.max(0, (this.#found.events.at(-1)?.sequence ?? 0) - 1);
    const found = await readOverHttp(client, this.#every, [...distinct.values()], after);
    const faults = [...faultsOf(this.#found, entries, found), ...faultsOfAnswers(entries)];
    if (faults.length > 0) throw new AuditFailure(where, faults);
    const { tally } = this;
    tally.acknowledged += attempts.filter(({ answer }) => answer?.fate === "done").length;
    tally.rejected += attempts.filter(({ answer }) => answer?.fate === "rejected").length;
    tally.open += attempts.filter(({ answer }) => answer === undefined).length;
    const added = found.events.slice(this.#found.events.length);
    tally.events += added.length;
    tally.followedType += added.filter(({ type }) => type === FOLLOWED_TYPE).length;
    this.#found = { ...found, events: found.events.slice(-1) };
  }
}
