import type { Client } from "../../tests/support/client.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import { Session } from "../../tests/editions/b_tx/session.ts";
import type { Act, HistoryRecorder } from "../history/record.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Ending } from "./endings.ts";
import { perform } from "./perform.ts";

/** Chooses the next act of a client. */
export type Choose = (id: number) => Act;

/**
 * Makes one act on a connection of its own, and records its outcome in the history.
 * @returns undefined when the server is gone: then the outcome is unknown, or nothing was requested yet
 */
export async function actOnce(
  edition: EditionName,
  client: Client,
  name: string,
  recorder: HistoryRecorder,
  choose: Choose,
): Promise<Ending | undefined> {
  try {
    using session = await Session.open(client);
    const intent = recorder.intend(name, choose);
    const ending = await perform(edition, session, intent);
    if (ending !== undefined) recorder.recordAnswer({ id: intent.id, ...ending });
    return ending;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
