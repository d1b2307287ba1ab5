import type { EditionHost } from "../edition.ts";
import type { OpenTransactions } from "./open_transactions.ts";
import type { Pause } from "./pause.ts";
import type { TxDecoding } from "./tx_requests.ts";
import type { Statistics } from "./statistics.ts";

/** The parts that the routes of a running edition share. */
export interface EditionParts {
  readonly host: EditionHost;
  readonly statistics: Statistics;
  readonly transactions: OpenTransactions;
  readonly pause: Pause;
  readonly decoding: TxDecoding;
}
