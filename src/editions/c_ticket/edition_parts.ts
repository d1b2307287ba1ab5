import { Refusal } from "../../model/errors.ts";
import type { EditionHost } from "../edition.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";
import type { Pause } from "./pause.ts";
import type { Transaction } from "./transaction.ts";
import type { TransactionMetrics } from "./transaction_metrics.ts";

/** What the routes of an edition at work share. */
export interface EditionParts {
  readonly host: EditionHost;
  readonly metrics: TransactionMetrics;
  readonly reads: ReadsInFlight;
  readonly pause: Pause;
  readonly active: ActiveTransaction;
}

/** The one transaction that there may be; no other is remembered. */
export class ActiveTransaction {
  current: Transaction | undefined;

  /** @throws Refusal `TicketNotActive` */
  of(ticket: string): Transaction {
    if (this.current?.ticket !== ticket) throw new Refusal("TicketNotActive");
    return this.current;
  }
}

/** Whether a request of this kind has its turn or waits for it. */
export function isUnderWay({ host: { queue } }: EditionParts, kind: string): boolean {
  return [queue.active, ...queue.queued].some((entry) => entry?.kind === kind);
}
