import type { Client } from "../../tests/support/client.ts";
import type { HistoryRecorder } from "../history/record.ts";
import { actOnce, type Choose } from "./act_once.ts";
import type { EditionName } from "../../src/config/setting.ts";

/** Acts again and again, until the server is gone or it is stopped. @param rest the pause between two acts */
export async function actUntilGone(
  edition: EditionName,
  client: Client,
  name: string,
  recorder: HistoryRecorder,
  choose: Choose,
  isStopped: () => boolean = () => false,
  rest: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  while (!isStopped()) {
    if (await actOnce(edition, client, name, recorder, choose) === undefined) return;
    await rest();
  }
}
