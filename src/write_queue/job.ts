import type { StoreWrite } from "../store/api/write.ts";
import { Age } from "../time/clock.ts";

/** The task of a job in its turn: join a write group, or hold the turn alone. */
export type Task = { readonly write: StoreWrite } | { readonly run: () => Promise<unknown> };

export interface Job extends PromiseWithResolvers<unknown> {
  readonly kind: string;
  readonly task: Task;
  readonly client: AbortSignal | undefined;
  /** Its weight in a group, in bytes. */
  readonly weightBytes: number;
  onLeave: () => void;
  readonly age: Age;
}

export function makeJob(
  kind: string,
  task: Task,
  client: AbortSignal | undefined,
  { weightBytes = 0, age = new Age() }: { weightBytes?: number; age?: Age | undefined } = {},
): Job {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  return { kind, task, client, weightBytes, onLeave: () => {}, age, promise, resolve, reject };
}

export function stopListening(job: Job): void {
  job.client?.removeEventListener("abort", job.onLeave);
}
