import { eventually, pause } from "../../tests/support/eventually.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { AuditFailure } from "../report.ts";
import { emptyStore } from "../history/store_content.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import { readOverHttp } from "../history/read_over_http.ts";
import type { Answer, Entry, HistoryRecorder } from "../history/record.ts";
import { actOf, type FoundEvent } from "../history/wire_event.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { randomLoad } from "../workload/acts.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";

const CLIENTS = 4;
const TIMEOUT_SECONDS = 120;

/** Clients that continue after every answer, also after a rejection, and the history of their acts. */
export class Crowd {
  readonly #edition: EditionName;
  readonly #recorder: HistoryRecorder;
  #isOver = false;
  readonly #distrusted = new Set<Entry>();
  readonly #acting: Promise<unknown>;

  constructor(edition: EditionName, server: ServerProcess, recorder: HistoryRecorder, random: Random) {
    this.#edition = edition;
    this.#recorder = recorder;
    this.#acting = Promise.all(Array.from({ length: CLIENTS }, async (_, i) => {
      const name = `client ${i}`;
      const own = random.fork();
      const choose = (id: number) => randomLoad(own, name, id);
      while (!this.#isOver) {
        await actUntilGone(edition, server.client(), name, recorder, choose, () => this.#isOver);
        await pause(50);
      }
    }));
    // `leave` reports the error.
    this.#acting.catch(() => {});
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    await this.#acting;
  }

  count(fate: Answer["fate"]): number {
    return this.#recorder.entries.filter((entry) => "answer" in entry && entry.answer.fate === fate).length;
  }

  /**
   * Waits until this number of further acts were done, or were rejected with a status that stands for a failing disk.
   */
  async await(fate: "done" | "failed", more: number, where: string): Promise<void> {
    const from = this.#recorder.entries.length;
    const is = (entry: Entry): boolean =>
      "answer" in entry && (fate === "done" ? entry.answer.fate === "done" : entry.answer.status >= 500);
    await eventually(() => {
      const found = this.#recorder.entries.slice(from).filter(is).length;
      if (found < more) throw new AuditFailure(where, [`only ${found} of ${more} writes ${fate}`]);
    }, TIMEOUT_SECONDS);
  }

  /** A reader gets all events that were acknowledged before its request. @throws AuditFailure */
  async read(server: ServerProcess, where: string): Promise<void> {
    const known = attemptsIn(this.#recorder.entries).filter(({ answer }) => answer?.fate === "done");
    const events = await server.client().allEvents(this.#every);
    const byAct = Map.groupBy(events as FoundEvent[], actOf);
    const faults = known.flatMap(({ id, act }) => {
      const written = act.kind === "write" ? act.events.length : 0;
      const read = byAct.get(id)?.length ?? 0;
      return read === written ? [] : [`of the ${written} events of act ${id}, ${read} are read`];
    });
    const { status } = await server.client().request("GET", "/health");
    if (status !== 200) faults.push(`GET /health: ${status}`);
    if (faults.length > 0) throw new AuditFailure(where, faults.slice(0, 10));
  }

  /**
   * Linux confirms some syncs falsely at the moment at which it gives up a file system. A program of ten lines that
   * appends and syncs sometimes loses its last syncs too. So the acts acknowledged between then and now count as
   * unknown.
   * @param since the number of entries at that moment
   */
  distrust(since: number): void {
    const { entries } = this.#recorder;
    for (const entry of entries.slice(since)) {
      if ("answer" in entry && entry.answer.fate === "done") this.#distrusted.add(entry);
    }
  }

  get entries(): number {
    return this.#recorder.entries.length;
  }

  /** Compares the whole content of the store with the answers that the clients received. @throws AuditFailure */
  async judge(server: ServerProcess, storeId: string, where: string): Promise<void> {
    const entries = this.#recorder.entries.filter((entry) => !this.#distrusted.has(entry));
    const attempts = attemptsIn(entries);
    const changed = attempts.flatMap(({ act }) => act.kind === "write" ? act.projections : []);
    const names = new Map(changed.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
    const found = await readOverHttp(server.client(), this.#every, [...names.values()]);
    const faults = faultsOf(emptyStore(storeId), entries, found);
    if (faults.length > 0) throw new AuditFailure(where, faults);
  }

  get #every(): "all" | "*" {
    return this.#edition === "B" ? "all" : "*";
  }
}
