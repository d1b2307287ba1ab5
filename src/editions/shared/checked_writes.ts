import { areOverBudget, preCheck } from "../../store/core/pre_check.ts";
import { done } from "../../store/api/outcome.ts";
import type { Client } from "../../store/api/store.ts";
import type { StoreWrite } from "../../store/api/write.ts";
import { Age } from "../../time/clock.ts";
import type { EndedWrite } from "../../write_queue/write_queue.ts";
import type { EditionHost } from "../edition.ts";

/**
 * How many pre-checks a write may have. A write may exceed the check budget again if many events were committed
 * since the last pre-check. After this many, the write transaction checks the conditions, however long that takes.
 */
const CHECKS_MAX = 3;

/** Writes through the queue. Conditions that exceed the check budget are pre-checked outside the write transaction. */
export class CheckedWrites {
  readonly #queue: EditionHost["queue"];
  readonly #reads: EditionHost["store"]["reads"];

  constructor({ queue, store }: Pick<EditionHost, "queue" | "store">) {
    this.#queue = queue;
    this.#reads = store.reads;
  }

  /**
   * @param bytes see `WriteQueue.write`
   * @param client without one the write runs even if no client waits for the result
   * @throws what `WriteQueue.write` throws
   */
  async write(
    kind: string,
    write: StoreWrite,
    client: Client | undefined,
    bytes: number,
  ): Promise<EndedWrite> {
    const queue = this.#queue;
    const age = new Age();
    const left = client?.disconnected;
    let { conditions } = write;
    let lockSeconds = 0;
    let mustCheck = areOverBudget(conditions);
    // Once admitted to the queue, the write is not rejected any more.
    let admitted: Age | undefined;
    for (let checks = 0;;) {
      if (mustCheck) {
        const check = (waiting: Client) => preCheck(this.#reads, conditions, waiting);
        conditions = await queue.preCheck(kind, check, left, admitted);
        admitted = age;
        checks++;
      }
      const checked = checks === 0 ? write : { ...write, conditions };
      const ended = checks < CHECKS_MAX
        ? await queue.tryWrite(kind, checked, left, bytes, admitted)
        : await queue.write(kind, checked, left, bytes, admitted);
      lockSeconds += ended.lockSeconds;
      const { outcome } = ended;
      if (outcome.kind !== "done") return { outcome, lockSeconds };
      if (outcome.value.kind !== "overBudget") return { outcome: done(outcome.value), lockSeconds };
      mustCheck = true;
      admitted = age;
    }
  }
}
