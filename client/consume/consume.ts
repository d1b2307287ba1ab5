import { repeated, retriesFor } from "../retries.ts";
import { mustSpeak, type Server } from "../server.ts";
import type { ConsumeOptions, Consumer } from "./consumer.ts";
import { Lease } from "./lease.ts";
import { newMark, Records } from "./records.ts";
import { register } from "./registration.ts";
import type { Session } from "./session.ts";
import { RequestSignals } from "./signals.ts";

/** The limits of options. */
const RANGES = {
  concurrency: [1, 10_000],
  partitions: [1, 256],
  attempts: [1, 1_000_000],
  leaseSeconds: [0.3, 3600],
} as const;

/** Handles events until the signal ends it, or an error that no repetition mends. */
export async function consume<Events extends object>(
  server: Server,
  name: string,
  consumer: Consumer<Events>,
  options: ConsumeOptions,
): Promise<never> {
  mustSpeak(server, "A");
  check(consumer, options);
  const { by } = consumer;
  const { signal, onNotification, partitions } = options;
  const records = new Records(server, name);
  signal?.throwIfAborted();
  const requests = new RequestSignals();
  let failed: (error: unknown) => void;
  const failure = new Promise<never>((_, reject) => failed = reject);
  failure.catch(() => {});
  const session: Session<Events> = {
    server,
    records,
    consumer,
    concurrency: options.concurrency ?? 16,
    attempts: options.attempts ?? 5,
    parksKeys: options.onFailure === "parkKey",
    leaseSeconds: options.leaseSeconds ?? 5,
    partitions,
    main: { value: { partitions: 0, by: "" }, version: "" },
    by: typeof by === "function" ? "(function)" : by ?? "",
    member: newMark(),
    owned: new Map(),
    requests,
    notify(notification) {
      try {
        onNotification?.(notification);
      } catch (error) {
        failed(error);
      }
    },
    fail: (error) => failed(error),
  };
  return await run(session, failure, signal);
}

async function run<Events extends object>(
  session: Session<Events>,
  failure: Promise<never>,
  signal: AbortSignal | undefined,
): Promise<never> {
  const { server, records, requests, fail } = session;
  const end = new AbortController();
  const stop = (): void => fail(signal!.reason);
  signal?.addEventListener("abort", stop);
  const lease = new Lease(session, end.signal);
  try {
    const starting = repeated(
      retriesFor(server, requests.signal, true),
      () => register(records, session, requests.signal),
    );
    session.main = await Promise.race([starting, failure]);
    lease.keep().catch(fail);
    lease.read().catch(fail);
    return await failure;
  } finally {
    signal?.removeEventListener("abort", stop);
    end.abort();
    await lease.leave();
  }
}

function check<Events extends object>(
  { query, by, handle }: Consumer<Events>,
  options: ConsumeOptions,
): void {
  if (query === undefined) throw new TypeError("a consumer needs a query");
  if (typeof handle !== "function") throw new TypeError("handle must be a function");
  if (by !== undefined && typeof by !== "function" && (typeof by !== "string" || !by)) {
    throw new TypeError("by must be the name of an identifier, or a function");
  }
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value = options[name as keyof typeof RANGES];
    if (value === undefined) continue;
    const isNumber = name === "leaseSeconds" ? typeof value === "number" : Number.isInteger(value);
    if (!isNumber || !(value >= least && value <= most)) {
      throw new TypeError(`${name} must be ${least} to ${most}, not ${value}`);
    }
  }
  const { onFailure = "park" } = options;
  if (onFailure !== "park" && onFailure !== "parkKey") {
    throw new TypeError(`onFailure must be "park" or "parkKey", not ${JSON.stringify(onFailure)}`);
  }
}
