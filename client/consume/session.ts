import type { Server } from "../server.ts";
import type { Consumer, ConsumerNotification } from "./consumer.ts";
import type { Partition } from "./partition.ts";
import type { RequestSignals } from "./signals.ts";
import type { MainRecord, Records, Stored } from "./records.ts";

/** The parts of a running consumer that its modules share. */
export interface Session<Events extends object> {
  readonly server: Server;
  readonly records: Records;
  readonly consumer: Consumer<Events>;
  readonly concurrency: number;
  readonly attempts: number;
  readonly parksKeys: boolean;
  readonly leaseSeconds: number;
  /** The order, as the record of the consumer names it. */
  readonly by: string;
  /** The option: undefined for any number. */
  readonly partitions: number | undefined;
  /** The record of the first start. */
  main: Stored<MainRecord>;
  /** The ID of this process among the members. */
  readonly member: string;
  /** The partitions that this process owns. */
  readonly owned: Map<number, Partition<Events>>;
  /** Signals for requests, which only the end of the consumer aborts. Take one for each operation. */
  readonly requests: RequestSignals;
  /** Passes it to the application, whose error ends the consumer. */
  notify(notification: ConsumerNotification): void;
  /** Ends the consumer with an error. */
  fail(error: unknown): void;
}
