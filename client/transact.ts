import { Conflict, type EventStoreError } from "./errors.ts";
import { isPassing, jitter } from "./retries.ts";
import type { Server } from "./server.ts";
import { ticketTransaction } from "./ticket_transaction.ts";
import type { OpenTransaction, Transaction, TransactionOptions } from "./transaction.ts";
import { txTransaction } from "./tx_transaction.ts";

/** The transaction is over: it has expired, or the server was started again. Nothing was written. */
const OVER = ["TransactionNotFound", "TicketNotActive"];

/** Runs a transaction, and again when nothing was written and another attempt may succeed. */
export async function transact<Events extends object, Result>(
  server: Server,
  work: (tx: Transaction<Events>) => Promise<Result>,
  { attempts = 10, signal }: TransactionOptions,
): Promise<Result> {
  const begin = server.edition === "B" ? txTransaction : ticketTransaction;
  for (let attempt = 1;; attempt++) {
    let open: OpenTransaction<Events> | undefined;
    try {
      open = await begin<Events>(server, signal);
      const result = await work(open);
      await open.commit();
      return result;
    } catch (error) {
      // After an error of the server there is nothing to abandon any more; it is no matter to try.
      await open?.abandon().catch(() => {});
      const { code, outcomeUnknown } = error as Partial<EventStoreError>;
      const again = error instanceof Conflict || isPassing(error) && !outcomeUnknown || OVER.includes(code!);
      if (!again || attempt >= attempts) throw error;
      await jitter(attempt, signal);
    }
  }
}
