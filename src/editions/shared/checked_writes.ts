import { AheadChecks } from "../../store/check_ahead.ts";
import type { Client } from "../../store/store.ts";
import type { StoreWrite } from "../../store/write.ts";
import type { EndedWrite } from "../../turns/write_queue.ts";
import type { EditionHost } from "../edition.ts";

/** Writes through the queue, except that conditions which cost much are checked before. */
export class CheckedWrites {
  readonly #queue: EditionHost["queue"];
  readonly #ahead: AheadChecks;

  constructor({ queue, store }: Pick<EditionHost, "queue" | "store">) {
    this.#queue = queue;
    this.#ahead = new AheadChecks(store.reads, store.opened.head);
  }

  /**
   * @param bytes see `WriteQueue.write`
   * @param client without one the write runs even if nobody is left to receive the result
   * @throws what `WriteQueue.write` throws, and Refusal `Unavailable` when too many reads are already waiting
   */
  async write(
    kind: string,
    write: StoreWrite,
    client: Client | undefined,
    bytes: number,
  ): Promise<EndedWrite> {
    let { conditions } = write;
    if (this.#ahead.areCostly(conditions)) {
      this.#queue.assertOpen();
      conditions = await this.#ahead.check(conditions, client);
    }
    const ended = await this.#queue.write(kind, { ...write, conditions }, client?.left, bytes);
    const { outcome } = ended;
    if (outcome.kind === "done" && outcome.value.kind === "written") {
      this.#ahead.noteHead(outcome.value.firstSequence + write.events.length - 1);
    }
    return ended;
  }
}
