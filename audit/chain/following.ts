import { EventStoreError, type Position, type StoredEvent, StoreReset } from "../../client/mod.ts";
import { pause } from "../../tests/support/eventually.ts";
import type { ChainClient } from "./clients.ts";
import type { Follower, Topic } from "./evidence.ts";
import type { Observations } from "./observations.ts";
import { MARK, type SeenEvent } from "./observed.ts";
import { type ChainEvents, hallOf } from "./seats.ts";

/** Short, so that a follower is soon notified of a reset while no client writes. */
const WAIT_SECONDS = 1;

export interface FollowerOptions {
  readonly client: ChainClient;
  readonly topic: Topic | undefined;
  /** True when the follower itself starts again after a reset, false when the client library does. */
  readonly restartsItself: boolean;
  readonly signal: AbortSignal;
  readonly observations: () => Observations;
}

/** Follows until the signal aborts. After an error it continues from its position. */
export function follow({ client, topic, restartsItself, signal, observations }: FollowerOptions): Follower {
  const { store, name, random } = client;
  const follower: Follower = { name, topic, segments: [] };
  const query = topic === undefined ? "*" : { identifiers: { [topic.name]: topic.value } };
  const options = { waitSeconds: WAIT_SECONDS, limit: random.pick([10, 200, 1000]), signal };
  const restarting = restartsItself ? { ...options, onReset: "restart" as const } : options;
  let from: Position | undefined;
  // At the beginning there is no state that a reset could make void.
  let isReported = true;
  const run = async (): Promise<void> => {
    for await (const step of store.follow(query, { ...restarting, from })) {
      const { storeId, sequence } = step.checkpoint;
      let segment = follower.segments.at(-1);
      if (segment?.storeId !== storeId || step.isReset) {
        segment = { storeId, events: [], sequence: 0, isReported: isReported || step.isReset };
        follower.segments.push(segment);
      }
      isReported = false;
      segment.events.push(...step.events.map(seenOf));
      segment.sequence = sequence;
      from = step.checkpoint;
    }
  };
  untilAborted(signal, run, (error) => {
    if (error instanceof StoreReset) [from, isReported] = [undefined, true];
    else if (!(error instanceof EventStoreError)) {
      observations().faults.push(`${name} failed: ${Deno.inspect(error)}`);
    }
  });
  return follower;
}

/** Maintains a projection of a hall until the signal aborts, as one of two copies. */
export function project(
  client: ChainClient,
  hall: string,
  signal: AbortSignal,
  observations: () => Observations,
): void {
  const options = { waitSeconds: WAIT_SECONDS, signal };
  const run = async (): Promise<void> => {
    for await (const { state, checkpoint } of client.store.project(hall, hallOf(hall), options)) {
      observations().stored.push({ name: client.name, topic: hall, state, at: checkpoint });
    }
  };
  untilAborted(signal, run, (error) => {
    if (error instanceof EventStoreError) return;
    observations().faults.push(`${client.name} failed: ${Deno.inspect(error)}`);
  });
}

/** Runs the work again whenever it fails. */
async function untilAborted(
  signal: AbortSignal,
  run: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await run();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await pause(50);
  }
}

function seenOf({ sequence, time, type, identifiers, metadata }: StoredEvent<ChainEvents>): SeenEvent {
  const tags = Object.entries(identifiers).map(([name, value]) => ({ name, value: String(value) }));
  return {
    sequence,
    time,
    type,
    identifiers: tags,
    metadata: [],
    mark: String(metadata[MARK]),
    saw: undefined,
  };
}
