import type { Reply } from "../../http/exchange.ts";
import { emptyReply, jsonReply } from "../../http/replies.ts";
import type { Route } from "../../http/router.ts";
import { throwIfFailed } from "../../store/api/outcome.ts";
import { nowMicros } from "../../time/clock.ts";
import { Admission } from "../../write_queue/admission.ts";
import { STORE_HEADER } from "../shared/headers.ts";
import type { EditionParts } from "./edition_parts.ts";

export function pauseRoutes(edition: EditionParts): Route[] {
  const route = (path: string, act: (edition: EditionParts) => Promise<Reply>): Route => ({
    method: "POST",
    path,
    right: "operate",
    body: "ignored",
    level: "info",
    handle: () => edition.host.queue.alone(new Admission(path.slice(1)), () => act(edition)),
  });
  return [route("/pause", pause), route("/resume", resume)];
}

/** Requests a pause, which takes effect once no transaction is open. */
async function pause({ host, pause, transactions }: EditionParts): Promise<Reply> {
  const now = nowMicros();
  // No transaction begins from now on, so the number of open ones can only fall.
  if (pause.state === "normal") pause.enter("pauseRequested", now);
  if (transactions.count > 0) return jsonReply(202, { openTransactions: transactions.count });
  const since = pause.state === "paused" ? pause.sinceMicros : now;
  const { head, storeId } = throwIfFailed(await host.store.writer.setPaused(since));
  pause.enter("paused", since);
  return jsonReply(200, { lastSequence: head }, { [STORE_HEADER]: storeId });
}

async function resume({ host, pause }: EditionParts): Promise<Reply> {
  if (pause.state === "paused") throwIfFailed(await host.store.writer.setPaused(undefined));
  pause.enter("normal", nowMicros());
  return emptyReply(204);
}
