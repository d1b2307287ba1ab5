import { join } from "node:path";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { HistoryRecorder } from "../history/record.ts";
import { readOverHttp } from "../history/read_over_http.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { SUBJECT } from "../workload/endings.ts";
import { Random, shuffled } from "../workload/random.ts";
import { DestroyedKeys, keyInUse } from "./destroyed_keys.ts";
import { forgetSubjects } from "./forgetting_client.ts";
import { KILL_STEPS, killAtStep, type KillStep } from "./kill_steps.ts";
import { countForgets, forgetsIn, type ForgetTally, newForgetTally, repeatForget, settle } from "./settle.ts";

/*
 * Clients write events of subjects and forget them, until the server is killed at one of the steps of such a request.
 * After an answer, the key is in no file. Without an answer, the key and the events of the request agree after the next
 * start, and a destroyed key is in no file either. Then the request is repeated and gets an answer.
 */

const CLIENTS = 3;

/** After this number of rounds a new store is used, so that reading all of it stays quick. */
const ROUNDS_OF_A_STORE = 20;

interface Tally extends ForgetTally {
  /** Keys that were destroyed without an answer, and were in a file after the kill. */
  leftBehind: number;
}

/** A round is one kill. */
export async function forgetRounds(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const steps = shuffled(KILL_STEPS, random);
  const tally: Tally = { ...newForgetTally(), leftBehind: 0 };
  const open: Record<string, number> = Object.fromEntries(steps.map(({ name }) => [name, 0]));
  while (!context.extent.isOver(tally.rounds)) {
    const directory = join(context.directory, `store_${tally.rounds}`);
    Deno.mkdirSync(directory);
    {
      await using place = await Place.begin(context, directory);
      for (let round = 0; round < ROUNDS_OF_A_STORE && !context.extent.isOver(tally.rounds); round++) {
        const step = steps[tally.rounds % steps.length]!;
        open[step.name]! += await place.round(step, random.fork(), tally);
      }
      await place.end();
    }
    Deno.removeSync(directory, { recursive: true });
  }
  demand("forgets", tally.rounds, {
    forgotten: [tally.forgotten, tally.rounds],
    "destroyed without an answer": [tally.destroyed, tally.rounds / 6],
    "neither answered nor destroyed": [tally.spared, tally.rounds / 6],
    "destroyed keys in a file after a kill": [tally.leftBehind, tally.rounds / 8],
    ...Object.fromEntries(
      steps.map(({ name }) => [`without an answer at ${name}`, [open[name]!, 1] as const]),
    ),
  });
  return { ...tally, ...open };
}

/** One store, over many lives of its server. */
class Place implements AsyncDisposable {
  readonly #context: CheckContext;
  readonly #directory: string;
  readonly #server: ServerProcess;
  readonly #recorder: HistoryRecorder;
  readonly #keys: DestroyedKeys;

  private constructor(context: CheckContext, directory: string, server: ServerProcess) {
    this.#context = context;
    this.#directory = directory;
    this.#server = server;
    this.#recorder = new HistoryRecorder(join(directory, "history.jsonl"), 0);
    this.#keys = new DestroyedKeys(server.dataDir);
  }

  static async begin(context: CheckContext, directory: string): Promise<Place> {
    const env = { SERVICE_EDITION: context.edition, SERVICE_SUBJECTS: SUBJECT };
    const server = await startServer({ directory, listen: "unix", listenOnly: true, env });
    return new Place(context, directory, server);
  }

  /** @returns how many requests to forget got no answer */
  async round(step: KillStep, random: Random, tally: Tally): Promise<number> {
    const where = `round ${tally.rounds}, ${step.name}`;
    const { lastId } = this.#recorder;
    await this.#killed(step, random);
    this.#assertGone(`${where}, after the kill`);
    const forgets = forgetsIn(this.#recorder).filter(({ id }) => id > lastId);
    const open = forgets.filter(({ answer }) => answer === undefined);
    const ids = open.map(({ id }) => id);
    const before = this.#keys.foundIn(ids);
    await this.#server.start();
    const after = this.#keys.foundIn(ids);
    const happened = await this.#settle(where);
    const left = after.filter((id) => happened.has(id));
    if (left.length > 0) {
      throw new AuditFailure(where, [`a started server left the keys of acts ${left.join()}`]);
    }
    for (const { client: subject } of open) await this.#repeat(subject, where);
    await this.#settle(`${where}, after forgetting again`);
    countForgets(tally, forgets, happened);
    tally.leftBehind += before.filter((id) => happened.has(id)).length;
    return open.length;
  }

  /** Stops the server as an operator does, and searches its files once more. */
  async end(): Promise<void> {
    const { code } = await this.#server.stop();
    if (code !== 0) throw new AuditFailure("the stop after the kills", [`exit code ${code}`]);
    this.#assertGone("the files after the stop");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#recorder[Symbol.dispose]();
  }

  /** Acts on the server until it is killed. */
  async #killed(step: KillStep, random: Random): Promise<void> {
    let isOver = false;
    let acting: Promise<unknown> | undefined;
    const target = {
      server: this.#server,
      recorder: this.#recorder,
      output: join(this.#directory, "strace"),
    };
    await killAtStep(step, target, random, () => {
      acting = this.#act(random, () => isOver);
      // It is reported once the server is dead.
      acting.catch(() => {});
    });
    isOver = true;
    await acting;
  }

  #act(random: Random, isStopped: () => boolean): Promise<unknown> {
    const { edition } = this.#context;
    const { lastId } = this.#recorder;
    const onForget = (act: number, key: string | undefined): void => this.#keys.remember(act, key);
    const onForgotten = (act: number): void => this.#keys.assertGone([act], "after the answer");
    return Promise.all(Array.from({ length: CLIENTS }, (_, i) => {
      const own = { edition, random: random.fork(), recorder: this.#recorder };
      const forgetting = { ...own, onForget, onForgotten, isStopped };
      return forgetSubjects(forgetting, [this.#server.client()], `${lastId}.${i}`);
    }));
  }

  async #repeat(subject: string, where: string): Promise<void> {
    const client = this.#server.client();
    this.#keys.remember(this.#recorder.lastId + 1, await keyInUse(client, subject));
    const isDone = await repeatForget(this.#recorder, client, subject);
    if (!isDone) throw new AuditFailure(where, [`forgetting ${subject} again was rejected`]);
  }

  /** Compares the store with the answers. @returns the acts without an answer that happened */
  async #settle(where: string): Promise<ReadonlySet<number>> {
    const every = this.#context.edition === "B" ? "all" : "*";
    const { events, faults } = await readOverHttp(this.#server.client(), every, []);
    const all = [...faults, ...faultsOfAnswers(this.#recorder.entries)];
    if (all.length > 0) throw new AuditFailure(where, all);
    const happened = settle(this.#recorder, events, where);
    this.#assertGone(where);
    return happened;
  }

  /** @throws AuditFailure when a file has a key that was certainly destroyed */
  #assertGone(where: string): void {
    const done = forgetsIn(this.#recorder).filter(({ answer }) => answer?.fate === "done");
    this.#keys.assertGone(done.map(({ id }) => id), where);
  }
}
