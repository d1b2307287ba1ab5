import { Conflict, type EventStoreError } from "./errors.ts";
import { isPassing, jitter } from "./retries.ts";
import { mustSpeak, type Server } from "./server.ts";
import { ticketTransaction } from "./ticket_transaction.ts";
import type { OpenTransaction, Transaction, TransactionOptions } from "./transaction.ts";
import { txTransaction } from "./tx_transaction.ts";

/** The transaction is over: it has expired, or the server was restarted. Nothing was written. */
const OVER = ["TransactionNotFound", "TicketNotActive"];

/** Runs a transaction, and repeats it when nothing was written and another attempt may succeed. */
export async function transact<Events extends object, Result>(
  server: Server,
  work: (tx: Transaction<Events>) => Promise<Result>,
  { attempts = 10, signal }: TransactionOptions,
): Promise<Result> {
  mustSpeak(server, "B or C");
  const begin = server.edition === "B" ? txTransaction : ticketTransaction;
  for (let attempt = 1;; attempt++) {
    let open: OpenTransaction<Events> | undefined;
    try {
      open = await begin<Events>(server, signal);
      const result = await work(open);
      await open.commit();
      return result;
    } catch (error) {
      // After an error from the server the transaction is gone already. Another attempt to abandon it does no harm.
      await open?.abandon().catch(() => {});
      const { code, outcomeUnknown } = error as Partial<EventStoreError>;
      const again = error instanceof Conflict || isPassing(error) && !outcomeUnknown || OVER.includes(code!);
      if (!again || attempt >= attempts) throw error;
      await jitter(attempt, signal);
    }
  }
}
