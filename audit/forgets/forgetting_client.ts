import type { EditionName } from "../../src/config/setting.ts";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { HistoryRecorder } from "../history/record.ts";
import { actOnce } from "../workload/act_once.ts";
import type { Random } from "../workload/random.ts";
import { keyInUse } from "./destroyed_keys.ts";
import { randomAppend, randomForget } from "./subject_acts.ts";

/** The most acts with one subject. */
const ACTS_MAX = 6;

/** How long a client waits before it tries another server. */
const PAUSE_MILLISECONDS = 10;

export interface Forgetting {
  readonly edition: EditionName;
  readonly random: Random;
  readonly recorder: HistoryRecorder;
  /** Called before each request to forget, with the key in use. */
  readonly onForget?: (act: number, key: string | undefined) => void;
  /** Called after each answer to it that says that the key was destroyed. */
  readonly onForgotten?: (act: number) => void;
  readonly isStopped: () => boolean;
}

/**
 * Writes events of one subject after another, and forgets each now and then. After an act without an answer it begins
 * with another subject, so that what happened before and after that act is certain.
 * @param clients of all servers; another one is tried while the first does not serve
 */
export async function forgetSubjects(
  forgetting: Forgetting,
  clients: readonly Client[],
  name: string,
): Promise<void> {
  for (let [at, n] = [0, 0]; !forgetting.isStopped(); n++) {
    const client = clients[at % clients.length]!;
    const isServed = await useSubject(forgetting, client, `${name}.${n}`);
    if (isServed) continue;
    at++;
    await pause(PAUSE_MILLISECONDS);
  }
}

/** @returns false when the server does not serve */
async function useSubject(forgetting: Forgetting, client: Client, subject: string): Promise<boolean> {
  const { random, isStopped } = forgetting;
  try {
    for (let acts = 0; acts < ACTS_MAX && !isStopped(); acts++) {
      const forgets = acts > 0 && random.chance(0.5);
      const isDone = forgets
        ? await forget(forgetting, client, subject)
        : await append(forgetting, client, subject);
      if (!isDone) return false;
    }
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** @returns whether it was acknowledged */
async function append(
  { edition, random, recorder }: Forgetting,
  client: Client,
  subject: string,
): Promise<boolean> {
  const ending = await actOnce(edition, client, subject, recorder, (id) => randomAppend(random, subject, id));
  return ending?.fate === "done";
}

/** @returns whether it was acknowledged */
async function forget(
  { edition, random, recorder, onForget, onForgotten }: Forgetting,
  client: Client,
  subject: string,
): Promise<boolean> {
  const key = onForget && await keyInUse(client, subject);
  let act = 0;
  const ending = await actOnce(edition, client, subject, recorder, (id) => {
    onForget?.(act = id, key);
    return randomForget(random, subject, id);
  });
  if (ending?.fate !== "done") return false;
  onForgotten?.(act);
  return true;
}
