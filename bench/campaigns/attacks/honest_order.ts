import type { EditionName } from "../../../src/config/setting.ts";
import type { Address } from "../../connection.ts";
import type { Latency } from "./latencies.ts";

/* The messages between the attacker and the thread of its honest clients. */

/** The kinds of request that an honest client repeats. `connect` is `/health` on a new connection. */
export type HonestRequest = "health" | "connect" | "read" | "write";

/** The interval between requests. */
export const EVERY_MILLISECONDS = 10;

export interface HonestOrder {
  readonly address: Address;
  readonly edition: EditionName;
  readonly requests: readonly HonestRequest[];
  /** The token of the honest clients; undefined when they need none. */
  readonly token: string | undefined;
}

export interface HonestReport {
  readonly latencies: Readonly<Partial<Record<HonestRequest, readonly Latency[]>>>;
  /** Descriptions of requests with no answer or a wrong one. */
  readonly failures: readonly string[];
  /** Events that were acknowledged. */
  readonly acknowledged: number;
  /** Events whose write had no answer, so that they may exist or not. */
  readonly unsure: number;
}
