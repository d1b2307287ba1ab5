import type { Evidence, Settled } from "./evidence.ts";
import { isSame } from "./observations.ts";
import type { SeenEvent } from "./observed.ts";

/**
 * A store loses nothing as long as it keeps its ID. When its history goes back, it continues under a new ID, with at
 * least the events that the promoted host had.
 */
export function faultsOfForks({ before, failover, after, observations }: Evidence): string[] {
  const faults = [...faultsOfDensity(after)];
  const old = observations.histories.of(before.storeId);
  const isSameStore = after.storeId === before.storeId;
  const kept = failover.isLossy && !isSameStore ? failover.kept ?? 0 : Infinity;
  for (const event of isSameStore || failover.isLossy ? old.values() : before.events) {
    if (event.sequence <= kept && !holds(after, event)) {
      faults.push(
        `event ${event.sequence} (${event.mark}) of store ${before.storeId} is not in ${after.storeId}, ${
          isSameStore ? "the same store" : `which kept the first ${kept}`
        }`,
      );
    }
  }
  if (failover.isKnownWhole && !isSameStore && isWhole(old.values(), after)) {
    faults.push(`nothing was lost, and the store ID has changed, ${before.storeId} to ${after.storeId}`);
  }
  return faults;
}

function faultsOfDensity({ storeId, events }: Settled): string[] {
  const gap = events.findIndex(({ sequence }, i) => sequence !== i + 1);
  return gap < 0 ? [] : [`event ${events[gap]!.sequence} of store ${storeId} is in place ${gap + 1}`];
}

function isWhole(old: Iterable<SeenEvent>, after: Settled): boolean {
  for (const event of old) if (!holds(after, event)) return false;
  return true;
}

/** True when the store has this event at its sequence. */
export function holds({ events }: Settled, event: SeenEvent): boolean {
  const found = events[event.sequence - 1];
  return found !== undefined && isSame(found, event);
}
