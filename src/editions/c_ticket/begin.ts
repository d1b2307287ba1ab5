import type { Reply } from "../../http/exchange.ts";
import { jsonReply } from "../../http/replies.ts";
import type { RoutedRequest } from "../../http/router.ts";
import type { Access } from "../../model/access.ts";
import { ClientDisconnected } from "../../model/errors.ts";
import { Admission } from "../../write_queue/admission.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { Expiry } from "./deadlines.ts";
import { TicketTransaction } from "./ticket_transaction.ts";

/** `POST /begin`: waits for the write lock, and returns a ticket. The transaction holds the lock until it ends. */
export function begin(edition: EditionParts, { disconnected, access }: RoutedRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const hold = async (): Promise<void> => {
      edition.pause.assertNotPaused();
      const { gone } = access;
      if (gone?.aborted === true) throw new ClientDisconnected();
      const transaction = newTransaction(edition, access);
      edition.active.current = transaction;
      const end = (): void => void transaction.end("client");
      gone?.addEventListener("abort", end);
      try {
        if (await transaction.begin(disconnected)) {
          edition.metrics.transactionStarted();
          resolve(jsonReply(200, { ticket: transaction.ticket }));
          await transaction.ended;
        } else {
          await transaction.end("client");
          throw new ClientDisconnected();
        }
      } catch (error) {
        await transaction.end("error");
        throw error;
      } finally {
        gone?.removeEventListener("abort", end);
        edition.active.current = undefined;
      }
    };
    edition.host.queue.alone(new Admission("transaction", disconnected), hold).catch(reject);
  });
}

function newTransaction({ host, metrics }: EditionParts, owner: Access): TicketTransaction {
  const { settings, store, views, reportFailure } = host;
  return new TicketTransaction({
    owner,
    view: views.of(owner),
    writer: store.writer,
    deadlines: settings,
    reportFailure,
    onEnd: (end, seconds) => metrics.transactionEnded(end, seconds),
    onExpiry: (why) => host.warn(expiryText(why, settings[why])),
  });
}

function expiryText(why: Expiry, seconds: number): string {
  const what = why === "transactionTimeout" ? `had no call for ${seconds} s` : `lasted ${seconds} s`;
  return `a transaction was rolled back: it ${what} (${why})`;
}
