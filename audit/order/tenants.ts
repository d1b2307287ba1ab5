import type { ServerProcess } from "../../tests/support/server_process.ts";
import { bearer, tokenToml } from "../../tests/support/tokens.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Tag } from "../../src/model/tag.ts";
import type { Random } from "../workload/random.ts";
import { Moments } from "./clients.ts";
import type { Call, Condition, History, LoggedEvent, WriteCall } from "./history.ts";
import { logOf, recordCalls } from "./record_history.ts";

/*
 * Two tenants on one store. Each has a token that sees only its own events, and its calls must be those of clients who
 * have a store of their own. So each tenant gets a history of its own, in which its events are counted from 1.
 */

const TENANT = "tenant";
const TENANTS = ["t1", "t2"];

/** The tokens of the tenants. Each may see and write only the events with its name. */
export const TENANT_TOKENS: string = TENANTS.map((tenant) =>
  tokenToml(tenant, tenant, ["read", "write"], `within = { ${TENANT} = "${tenant}" }\n`)
).join("");

/**
 * The tenants call at the same time, and do not know of each other.
 * @param server its clients without a token of their own see every event
 */
export async function recordTenants(
  edition: EditionName,
  server: ServerProcess,
  random: Random,
): Promise<History[]> {
  const moments = new Moments();
  const calls = await Promise.all(TENANTS.map((tenant) => {
    return recordCalls(edition, () => server.client(bearer(tenant)), random.fork(), moments, {
      [TENANT]: tenant,
    });
  }));
  const log = await logOf(edition, server.client());
  return TENANTS.map((tenant, i) => {
    const isOwn = ({ name, value }: Tag): boolean => name === TENANT && value === tenant;
    return historyWithin(calls[i]!, log.filter(({ identifiers }) => identifiers.some(isOwn)));
  });
}

/**
 * Returns the history of a tenant with its events counted from 1. A sequence that is of no own event becomes -1, which
 * no check accepts.
 * @param log the tenant's events
 */
function historyWithin(calls: readonly Call[], log: readonly LoggedEvent[]): History {
  const own = new Map(log.map(({ sequence }, i) => [sequence, i + 1]));
  const placeOf = (sequence: number): number => own.get(sequence) ?? -1;
  const before = (position: number): number => log.filter(({ sequence }) => sequence <= position).length;
  const condition = (given: Condition): Condition =>
    "after" in given
      ? { ...given, after: before(given.after) }
      : { ...given, found: given.found.map(placeOf) };
  const outcome = (given: WriteCall["outcome"]): WriteCall["outcome"] => {
    if (given.kind === "accepted") return { ...given, sequences: given.sequences?.map(placeOf) };
    return given.kind === "conflict" ? { ...given, sequence: placeOf(given.sequence) } : given;
  };
  return {
    calls: calls.map((call) =>
      call.kind === "write"
        ? { ...call, conditions: call.conditions.map(condition), outcome: outcome(call.outcome) }
        : {
          ...call,
          after: before(call.after),
          sequences: call.sequences.map(placeOf),
          head: call.head === undefined ? undefined : before(call.head),
        }
    ),
    log: log.map((event, i) => ({ ...event, sequence: i + 1 })),
  };
}
