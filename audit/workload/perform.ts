import type { EditionName } from "../../src/config/setting.ts";
import type { Session } from "../../tests/editions/b_tx/session.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { Intent } from "../history/record.ts";
import { type Ending, GoneBefore, Unfinished } from "./endings.ts";
import { performA } from "./perform_a.ts";
import { performB } from "./perform_b.ts";
import { performC } from "./perform_c.ts";

/** Executes one act as the clients of an edition do. @throws when the server is gone and may have carried it out */
type Perform = (session: Session, intent: Intent) => Promise<Ending>;

const PERFORM: Readonly<Record<EditionName, Perform>> = { A: performA, B: performB, C: performC };

/** @returns undefined when the server is gone, and the outcome of the act is unknown */
export async function perform(
  edition: EditionName,
  session: Session,
  intent: Intent,
): Promise<Ending | undefined> {
  try {
    return await PERFORM[edition](session, intent);
  } catch (error) {
    if (error instanceof GoneBefore) return { fate: "rejected", status: 0 };
    if (isGone(error) || error instanceof Unfinished) return undefined;
    throw error;
  }
}
