import type { Session } from "../protocol/session.ts";
import { deleteTurns, forgottenIn, READ_FORGOTTEN } from "../tables/turns.ts";

/** Old write transactions are removed after this many new ones. */
const CLEANED_TURNS = 1000;

/** Removes write transactions that no server asks for any more. */
export class OldTurns {
  /** Write transactions up to this number were removed. */
  #deletedUpTo = -1;
  /** The last write transaction at the previous search for old ones. */
  #cleanedAt = -Infinity;

  /** @param last the number of the last write transaction */
  async delete(session: Session, last: number): Promise<void> {
    if (last - this.#cleanedAt < CLEANED_TURNS) return;
    this.#cleanedAt = last;
    const [rows] = await session.run([READ_FORGOTTEN]);
    const upTo = forgottenIn(rows!);
    if (upTo === undefined) return;
    await session.run([deleteTurns(this.#deletedUpTo, upTo)]);
    this.#deletedUpTo = upTo;
  }
}
