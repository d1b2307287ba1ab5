import type { Client } from "../../tests/support/client.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import { Session } from "../../tests/editions/b_tx/session.ts";
import { type EditionName, perform } from "./perform.ts";
import type { Act, Intent, Witness } from "../witness/record.ts";

/** What a client does next. */
export type Choose = (id: number) => Act;

/** Acts again and again, until the server is gone or it is told to stop. @param rest what it does in between */
export async function actUntilGone(
  edition: EditionName,
  client: Client,
  name: string,
  witness: Witness,
  choose: Choose,
  isStopped: () => boolean = () => false,
  rest: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  while (!isStopped()) {
    try {
      using session = await Session.open(client);
      const intent: Intent = witness.intend(name, choose);
      const ending = await perform(edition, session, intent);
      if (ending === undefined) return;
      witness.tell({ id: intent.id, ...ending });
      await rest();
    } catch (error) {
      if (isGone(error)) return;
      throw error;
    }
  }
}
