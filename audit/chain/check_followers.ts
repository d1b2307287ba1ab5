import type { Evidence, Follower } from "./evidence.ts";
import { inOrder, isAbout, isSameState, stateAt, textOf } from "./check_decisions.ts";
import { isSame } from "./observations.ts";
import type { SeenEvent, Segment } from "./observed.ts";

/**
 * Each follower received exactly the events of each store in order, was notified of each reset, and has reached the
 * head.
 */
export function faultsOfFollowers({ observations, followers, after }: Evidence): string[] {
  return followers.flatMap((follower) => {
    const last = follower.segments.at(-1);
    const head = after.events.length;
    const faults = follower.segments.flatMap((segment) => {
      const events = inOrder(observations.histories.of(segment.storeId).values());
      return faultsOfSegment(follower, segment, events);
    });
    if (last?.storeId !== after.storeId || last.sequence < head) {
      const place = last === undefined ? "nowhere" : `at ${last.sequence} of store ${last.storeId}`;
      faults.push(`${follower.name} is ${place}, and the head is ${head} of store ${after.storeId}`);
    }
    return faults;
  });
}

function faultsOfSegment(
  { name, topic }: Follower,
  segment: Segment,
  events: readonly SeenEvent[],
): string[] {
  const { storeId, sequence, isReported } = segment;
  const faults = isReported ? [] : [`${name} was not told of the reset to store ${storeId}`];
  const wanted = events.filter((event) =>
    event.sequence <= sequence && (topic === undefined || isAbout(event, topic.name, topic.value))
  );
  const wrong = wanted.findIndex((event, i) =>
    segment.events[i] === undefined || !isSame(segment.events[i]!, event)
  );
  if (wrong >= 0 || segment.events.length !== wanted.length) {
    const at = wrong < 0 ? wanted.length : wrong;
    const [got, should] = [segment.events[at], wanted[at]].map((event) => event?.sequence ?? "none");
    faults.push(
      `${name} got event ${got} instead of ${should} of store ${storeId}; ${segment.events.length} in all, not ${wanted.length}`,
    );
  }
  return faults;
}

/** Each state that a projector has stored fits its checkpoint, and the last one belongs to the current store. */
export function faultsOfProjectors({ observations, after }: Evidence): string[] {
  return observations.stored.flatMap(({ name, topic, state, at }) => {
    const events = at.storeId === after.storeId
      ? after.events
      : [...observations.histories.of(at.storeId).values()];
    const wanted = stateAt(events, "hall", topic, at.sequence);
    return isSameState(state, wanted) ? [] : [
      `${name} has stored ${textOf(state)} for ${topic} up to ${at.sequence} of store ${at.storeId}; it was ${
        textOf(wanted)
      }`,
    ];
  });
}
