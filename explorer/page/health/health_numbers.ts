import { bytesText, durationText, numberText, wholeText } from "../parts/format.ts";
import { type Metrics, quantile, valueOf } from "./metrics_text.ts";

/*
 * The numbers that show the health of a store, each computed from two samples of its metrics. A number is left out if
 * the store lacks its metric.
 */

/** The metrics at one time. */
export interface Look {
  readonly metrics: Metrics;
  /** Seconds of any clock. */
  readonly at: number;
}

export interface HealthNumber {
  readonly label: string;
  /** An explanation of the number. */
  readonly about: string;
  value(now: Look, before: Look | undefined): number | undefined;
  text(value: number): string;
  /** Returns true when the value deserves attention. */
  isBad?(value: number): boolean;
  /** True for a number that deserves some attention while it is above 0. */
  readonly isWarning?: true;
}

const perSecond = (value: number): string => `${numberText(value)}/s`;

function gauge(
  label: string,
  about: string,
  name: string,
  text: (value: number) => string,
  isBad?: (value: number) => boolean,
): HealthNumber {
  return {
    label,
    about,
    text,
    value: ({ metrics }) => valueOf(metrics, name),
    ...isBad === undefined ? {} : { isBad },
  };
}

/** The growth of a counter per second. */
function rate(
  label: string,
  about: string,
  name: string,
  isBad?: (value: number) => boolean,
  labels: Readonly<Record<string, string>> = {},
): HealthNumber {
  return {
    label,
    about,
    text: perSecond,
    value(now, before) {
      const value = valueOf(now.metrics, name, labels);
      const earlier = before === undefined ? undefined : valueOf(before.metrics, name, labels);
      if (value === undefined || earlier === undefined || before === undefined || value < earlier) {
        return undefined;
      }
      return (value - earlier) / (now.at - before.at);
    },
    ...isBad === undefined ? {} : { isBad },
  };
}

/** Marks a number of which any is worth a look. */
function warning(number: HealthNumber): HealthNumber {
  return { ...number, isWarning: true };
}

/** A quantile of the latencies since the previous sample. */
function latency(label: string, about: string, name: string, share: number): HealthNumber {
  return {
    label,
    about,
    text: durationText,
    value(now, before) {
      const family = now.metrics.get(name);
      return family === undefined || before === undefined
        ? undefined
        : quantile(share, family, before.metrics.get(name));
    },
  };
}

function mean(label: string, about: string, name: string): HealthNumber {
  return {
    label,
    about,
    text: numberText,
    value(now, before) {
      const [family, earlier] = [now.metrics.get(name), before?.metrics.get(name)];
      if (family === undefined || earlier === undefined || family.count <= earlier.count) return undefined;
      return (family.sum - earlier.sum) / (family.count - earlier.count);
    },
  };
}

const some = (value: number): boolean => value > 0;

/** A group of numbers, and the conflicts and failures among them, which are coloured while there are any. */
export interface HealthGroup {
  readonly name: string;
  readonly numbers: readonly HealthNumber[];
}

export const HEALTH_GROUPS: readonly HealthGroup[] = [
  {
    name: "Writes",
    numbers: [
      rate("Writes", "committed", "service_writes_committed_total"),
      rate(
        "Transactions",
        "committed, also those that wrote nothing",
        "service_transactions_committed_total",
      ),
      warning(
        rate("Conflicts", "writes rejected, since something had changed", "service_writes_rejected_total"),
      ),
      warning(rate("Conflicts", "appends rejected by their condition", "service_appends_failed_total")),
      rate(
        "Failed writes",
        "not carried out, by the fault of the server",
        "service_writes_failed_total",
        some,
      ),
      gauge(
        "Waiting writes",
        "until others are done",
        "service_requests_queued",
        wholeText,
        (value) => value > 80,
      ),
      gauge(
        "Longest wait",
        "of the writes that wait now",
        "service_queue_longest_wait_seconds",
        durationText,
        (value) => value > 10,
      ),
      latency(
        "Write, median",
        "how long half of the writes took at most",
        "service_write_duration_seconds",
        0.5,
      ),
      latency("Write, 99 %", "one in a hundred writes took longer", "service_write_duration_seconds", 0.99),
      latency(
        "Transaction, median",
        "from the ticket to the end",
        "service_transaction_duration_seconds",
        0.5,
      ),
      latency(
        "Transaction, 99 %",
        "one in a hundred took longer",
        "service_transaction_duration_seconds",
        0.99,
      ),
      mean("Writes per commit", "that share one wait for the disk", "service_write_group_size"),
      gauge("Open transactions", "begun, not committed or abandoned", "service_transactions_open", wholeText),
      rate(
        "Expired",
        "transactions that ended because no call came in time",
        "service_transactions_expired_total",
        some,
      ),
      rate("Expired tickets", "rolled back at a deadline", "service_transactions_rolled_back_total", some, {
        reason: "expired",
      }),
    ],
  },
  {
    name: "Reads",
    numbers: [
      rate("Events read", "sent to readers", "service_read_events_total"),
      latency("Read, median", "from the query to the last byte", "service_read_duration_seconds", 0.5),
      gauge("Waiting reads", "for an event that matches", "service_reads_waiting", wholeText),
    ],
  },
  {
    name: "Clients",
    numbers: [
      gauge("Connections", "open", "service_connections_open", wholeText),
      rate("Requests", "answered", "service_requests_total"),
    ],
  },
  {
    name: "Machine",
    numbers: [
      gauge("Memory", "of the process of the server", "process_resident_memory_bytes", bytesText),
      gauge("Database", "the file of the store", "service_store_bytes", bytesText),
      gauge("WAL", "not yet moved into that file", "service_store_wal_bytes", bytesText),
      gauge("Free disk", "where the store is", "service_disk_free_bytes", bytesText, (value) => value < 1e9),
    ],
  },
];
