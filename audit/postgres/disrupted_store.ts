import { join } from "node:path";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import type { StoreContent } from "../history/store_content.ts";
import { HistoryRecorder } from "../history/record.ts";
import { actOnce } from "../workload/act_once.ts";
import { randomAdministration, randomLoad } from "../workload/acts.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import type { Disruption } from "./disruption.ts";
import { actOnServers, untilServed, within } from "./going_on.ts";
import { readThrough, serving } from "./serving.ts";
import { type ServerLocation, StoreServer } from "./store_server.ts";
import { count, type Tally } from "./tally.ts";

/** The number of clients of each server. */
const CLIENTS = 3;

/** The share of rounds in which one client alone does everything. */
const ALONE = 0.25;

/** The time limit for the acts of clients before a disruption. */
const TIMEOUT_MILLISECONDS = 2500;

/** One store and its servers, over many disruptions. */
export class DisruptedStore implements AsyncDisposable {
  readonly #edition: EditionName;
  readonly #directory: string;
  readonly #servers: StoreServer[] = [];
  #found: StoreContent | undefined;
  #lastId = 0;

  private constructor(edition: EditionName, directory: string) {
    this.#edition = edition;
    this.#directory = directory;
  }

  /** @param directory for the files of the history */
  static async start(
    place: Omit<ServerLocation, "number">,
    servers: number,
    directory: string,
  ): Promise<DisruptedStore> {
    const store = new DisruptedStore(place.edition, directory);
    try {
      for (let number = 0; number < servers; number++) {
        store.#servers.push(await StoreServer.start({ ...place, number }));
      }
      store.#found = await readThrough(place.edition, store.#clients, []);
      return store;
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  async round(disruption: Disruption, random: Random, tally: Tally): Promise<void> {
    const where = `round ${tally.rounds}, ${disruption.name}`;
    const { strike, mayFail = false, needsClients = false } = disruption;
    using recorder = new HistoryRecorder(join(this.#directory, "witness.jsonl"), this.#lastId);
    const isAlone = !needsClients && random.chance(ALONE);
    let isOver = false;
    const acting = this.#act(random.fork(), recorder, isAlone, () => isOver);
    // Its errors are reported at its end.
    acting.catch(() => {});
    const end = async (): Promise<void> => {
      isOver = true;
      await within(acting, `${where}, a client`);
    };
    await untilDone(recorder, random.below(40));
    await pause(random.below(50));
    const wasUnderWay = attemptsIn(recorder.entries).some(({ answer }) => answer === undefined);
    const target = random.pick(this.#servers);
    const struck = await strike({ servers: this.#servers, target, random: random.fork() });
    if (struck.sparesOthers && !isAlone) await this.#goOn("slowestOthers", where, recorder, tally);
    await struck.mend?.();
    // Its resets or pauses might affect the writes of other clients.
    if (isAlone) {
      await end();
      await this.#judge(recorder, where);
      if (this.#edition !== "A") await this.#resume(recorder);
    }
    await this.#goOn(isAlone ? undefined : "slowestAll", where, recorder, tally);
    await struck.recover?.();
    await end();
    this.#found = await this.#judge(recorder, where);
    if (!mayFail) checkAnswers(recorder, where);
    this.#lastId = recorder.lastId;
    count(tally, recorder, { wasUnderWay, inside: struck.inside ?? 0 });
  }

  /** Stops all servers as an operator does. */
  async stop(): Promise<void> {
    for (const { process } of this.#servers) {
      const { code, stderr } = await process.stop();
      if (code !== 0) throw new AuditFailure("the stop after the rounds", [`exit code ${code}`, stderr]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }

  get #clients(): Client[] {
    return this.#servers.map(({ client }) => client);
  }

  /** Several clients that write, spread over the servers, or one client that does everything. */
  #act(
    random: Random,
    recorder: HistoryRecorder,
    isAlone: boolean,
    isStopped: () => boolean,
  ): Promise<unknown> {
    const clients = this.#clients;
    const count = isAlone ? 1 : CLIENTS * clients.length;
    return Promise.all(Array.from({ length: count }, (_, i) => {
      const name = `client ${i}`;
      const own = random.fork();
      const choose = (id: number) =>
        isAlone ? randomAdministration(own, this.#edition, name, id) : randomLoad(own, name, id);
      const first = i % clients.length;
      const preferred = [...clients.slice(first), ...clients.slice(0, first)];
      return actOnServers({ edition: this.#edition, recorder }, preferred, name, choose, isStopped);
    }));
  }

  /**
   * Waits until the servers that are expected to answer have accepted a write: each server of edition A, or else the
   * active one.
   */
  async #goOn(
    figure: "slowestOthers" | "slowestAll" | undefined,
    where: string,
    recorder: HistoryRecorder,
    tally: Tally,
  ): Promise<void> {
    const acting = { edition: this.#edition, recorder };
    const expected = this.#servers.filter(({ isExpected }) => isExpected);
    if (expected.length === 0) return;
    for (const { process, role } of expected) {
      if (!process.isRunning) throw new AuditFailure(`${where}: ${role} ended by itself`, [process.stderr]);
    }
    const groups = this.#edition === "A" ? expected.map((server) => [server]) : [expected];
    const took = await Promise.all(groups.map((servers, i) => {
      const names = servers.map(({ role }) => role).join();
      const clients = servers.map(({ client }) => client);
      return untilServed(acting, clients, `${figure ?? "probe"} ${i}`, `${where}, ${figure}, ${names}`);
    }));
    if (figure !== undefined) tally[figure] = Math.round(Math.max(tally[figure], ...took));
  }

  async #judge(recorder: HistoryRecorder, where: string): Promise<StoreContent> {
    const attempts = attemptsIn(recorder.entries);
    const changed = attempts.flatMap(({ act }) => act.kind === "write" ? act.projections : []);
    const names = [...changed, ...this.#found!.projections];
    const found = await readThrough(this.#edition, this.#clients, names);
    const faults = faultsOf(this.#found!, recorder.entries, found);
    if (faults.length > 0) throw new AuditFailure(where, faults);
    return found;
  }

  /** Resumes from a pause, or from one that still waits for transactions whose clients are gone. */
  async #resume(recorder: HistoryRecorder): Promise<void> {
    const client = await serving(this.#edition, this.#clients);
    const ending = await actOnce(this.#edition, client, "operator", recorder, () => ({ kind: "resume" }));
    if (ending?.fate !== "done") throw new AuditFailure("the resume after a round", [`${ending?.status}`]);
  }
}

/** @throws AuditFailure when an act was answered as if the server itself had failed */
function checkAnswers({ entries }: HistoryRecorder, where: string): void {
  const faults = faultsOfAnswers(entries);
  if (faults.length > 0) throw new AuditFailure(where, faults);
}

/** Resolves when this number of acts are acknowledged, or after a timeout. */
async function untilDone(recorder: HistoryRecorder, acts: number): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MILLISECONDS;
  while (recorder.done < acts && performance.now() < endsAt) await pause(2);
}
