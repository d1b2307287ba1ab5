import { type Access, isSameOwner } from "../../model/access.ts";
import { ApiError } from "../../model/errors.ts";
import type { EditionHost } from "../edition.ts";
import type { Pause } from "./pause.ts";
import type { TicketDecoding } from "./ticket_requests.ts";
import type { TicketTransaction } from "./ticket_transaction.ts";
import type { TransactionMetrics } from "./transaction_metrics.ts";

/** The parts that the routes of a running edition share. */
export interface EditionParts {
  readonly host: EditionHost;
  readonly metrics: TransactionMetrics;
  readonly pause: Pause;
  readonly decoding: TicketDecoding;
  readonly active: ActiveTransaction;
}

/** The one transaction that may exist. Earlier ones are not remembered. */
export class ActiveTransaction {
  current: TicketTransaction | undefined;

  /** Two tokens of one owner share their tickets. @throws ApiError `TicketNotActive` */
  of(ticket: string, access: Access): TicketTransaction {
    if (this.current?.ticket !== ticket || !isSameOwner(this.current.owner, access)) {
      throw new ApiError("TicketNotActive");
    }
    return this.current;
  }
}
