import type { Database } from "../connection/database.ts";
import { mergeSomeRuns } from "../tables/tag_index.ts";
import type { Transactions } from "./transactions.ts";

/**
 * Does a part of the merging of the tag index that writing has left over, in a transaction of its own. It changes
 * nothing that a reader can see, so it does not matter if a crash undoes it.
 * @returns whether there may be more to do
 */
export function mergeStep(db: Database, transactions: Transactions): boolean {
  const begun = transactions.begin();
  if (begun.kind !== "done") return false;
  try {
    const mayBeMore = mergeSomeRuns(db);
    return transactions.commit().kind === "done" && mayBeMore;
  } catch (error) {
    transactions.abort(error);
    return false;
  }
}
