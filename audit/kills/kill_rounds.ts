import { join } from "node:path";
import { pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, spawnServer, startServer } from "../../tests/support/server_process.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { killAt, TIMEOUT_MILLISECONDS, untilDone } from "../server/kill.ts";
import { AttachedStrace, straceCommand, straceOf } from "../server/strace.ts";
import { endsAtLog } from "../server/traced_calls.ts";
import { readDatabase } from "../history/read_files.ts";
import { type ProjectionName, readOverHttp } from "../history/read_over_http.ts";
import type { StoreContent } from "../history/store_content.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import { HistoryRecorder } from "../history/record.ts";
import { randomAdministration, randomLoad } from "../workload/acts.ts";
import { Random } from "../workload/random.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";

/*
 * Clients act on a server until it is killed: at a random moment, or by a tracer at the n-th write or sync of a file.
 * Then it is restarted, and its whole content is compared with the answers that the clients received.
 */

const CLIENTS = 6;

/** After this number of rounds a new store is used, so that reading all of it stays quick. */
const ROUNDS_OF_A_STORE = 20;

type Manner = "moment" | "fsync" | "pwrite64" | "start";

interface Tally {
  rounds: number;
  acknowledged: number;
  rejected: number;
  /** Acts under way when the server died, whose clients received no answer. */
  open: number;
  /** Kills at a write or a sync of a file, by the tracer. */
  atSystemCall: number;
  /** The kills among them at the log under load, thus within a COMMIT. */
  inCommit: number;
  events: number;
}

export async function killRounds(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const tally: Tally = {
    rounds: 0,
    acknowledged: 0,
    rejected: 0,
    open: 0,
    atSystemCall: 0,
    inCommit: 0,
    events: 0,
  };
  while (!context.extent.isOver(tally.rounds)) await useOneStore(context, random.fork(), tally);
  demand("kills", tally.rounds, {
    acknowledged: [tally.acknowledged, tally.rounds * 4],
    rejected: [tally.rejected, tally.rounds / 2],
    "rejected of all that ended": [tally.rejected, (tally.rejected + tally.acknowledged) / 20],
    "under way at a kill": [tally.open, tally.rounds / 4],
    "kills at a system call": [tally.atSystemCall, Math.floor(tally.rounds / 5)],
    "kills in a commit": [tally.inCommit, Math.floor(tally.rounds / 8)],
  });
  return { ...tally };
}

async function useOneStore(context: CheckContext, random: Random, tally: Tally): Promise<void> {
  const directory = join(context.directory, `store_${tally.rounds}`);
  Deno.mkdirSync(directory);
  const place = new Place(context, directory);
  await place.begin();
  for (let round = 0; round < ROUNDS_OF_A_STORE && !context.extent.isOver(tally.rounds); round++) {
    await place.round(random.fork(), tally);
    tally.rounds++;
  }
  await place.end();
  Deno.removeSync(directory, { recursive: true });
}

/** One store, over many lives of its server. */
class Place {
  readonly #context: CheckContext;
  readonly #directory: string;
  #server: ServerProcess | undefined;
  #found: StoreContent | undefined;
  #lastId = 0;

  constructor(context: CheckContext, directory: string) {
    this.#context = context;
    this.#directory = directory;
  }

  async begin(): Promise<void> {
    this.#server = await startServer(this.#options());
    this.#found = await this.#read([]);
  }

  async round(random: Random, tally: Tally): Promise<void> {
    const manner = random.pick<Manner>(["moment", "moment", "fsync", "pwrite64", "pwrite64", "start"]);
    using recorder = new HistoryRecorder(join(this.#directory, "witness.jsonl"), this.#lastId);
    try {
      if (manner === "start") await this.#killAtStart(random, tally);
      else await this.#killUnderLoad(random, manner, recorder, tally);
      this.#lastId = recorder.lastId;
      await this.#judge(recorder, `round ${tally.rounds}, killed at ${manner}`, tally);
    } catch (error) {
      await this.#server?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Stops the server as an operator does, and checks the files. */
  async end(): Promise<void> {
    const { code } = await this.#server!.stop();
    if (code !== 0) throw new AuditFailure("the stop after the kills", [`exit code ${code}`]);
    using db = openForChecking(join(this.#directory, "data", "events.db"));
    const found = readDatabase(db);
    // Edition C stores its pause in a file of its own.
    const faults = faultsOf(this.#found!, [], { ...found, isPaused: this.#found!.isPaused });
    if (faults.length > 0) throw new AuditFailure("the files after the kills", faults);
  }

  async #killUnderLoad(
    random: Random,
    manner: Manner,
    recorder: HistoryRecorder,
    tally: Tally,
  ): Promise<void> {
    const { edition } = this.#context;
    const server = this.#server!;
    const output = join(this.#directory, "strace");
    const traced = manner === "moment" ? undefined : await AttachedStrace.to(
      server.pid,
      await this.#injection(manner, 1 + random.below(manner === "fsync" ? 30 : 250), output),
    );
    let isOver = false;
    const acting = clientsOf(edition, random, server, recorder, () => isOver);
    // It is reported once the server is dead.
    acting.catch(() => {});
    const moment = async (): Promise<void> => {
      await untilDone(server, recorder, random.below(60));
      await pause(manner === "moment" ? random.below(60) : TIMEOUT_MILLISECONDS);
    };
    const isByTracer = await killAt(server, moment());
    isOver = true;
    await acting;
    await traced?.detach();
    if (isByTracer) tally.atSystemCall++;
    if (isByTracer && endsAtLog(Deno.readTextFileSync(output))) tally.inCommit++;
  }

  /** Kills the running server, starts it again, and kills it during that start. */
  async #killAtStart(random: Random, tally: Tally): Promise<void> {
    await this.#server!.kill();
    const output = join(this.#directory, "strace");
    const isTraced = random.chance(0.5);
    const call = random.pick(["fsync", "pwrite64"] as const);
    const under = isTraced ? straceCommand(await this.#injection(call, 1 + random.below(4), output)) : [];
    const server = spawnServer({ ...this.#options(), under });
    const isByTracer = await killAt(server, pause(isTraced ? 2000 : random.below(600)));
    if (isByTracer) tally.atSystemCall++;
  }

  #injection(call: string, n: number, output: string) {
    return straceOf(join(this.#directory, "data"), output, call, `${call}:signal=KILL:when=${n}`);
  }

  async #judge(recorder: HistoryRecorder, where: string, tally: Tally): Promise<void> {
    this.#server = await startServer(this.#options());
    const attempts = attemptsIn(recorder.entries);
    const changed = attempts.flatMap(({ act }) => act.kind === "write" ? act.projections : []);
    const found = await this.#read(changed);
    const faults = [...faultsOf(this.#found!, recorder.entries, found), ...faultsOfAnswers(recorder.entries)];
    if (faults.length > 0) throw new AuditFailure(where, faults);
    tally.acknowledged += attempts.filter(({ answer }) => answer?.fate === "done").length;
    tally.rejected += attempts.filter(({ answer }) => answer?.fate === "rejected").length;
    tally.open += attempts.filter(({ answer }) => answer === undefined).length;
    tally.events += Math.max(0, found.events.length - this.#found!.events.length);
    this.#found = found.isPaused ? await this.#resumed(found) : found;
  }

  async #resumed(found: StoreContent): Promise<StoreContent> {
    const { status } = await this.#server!.client().request("POST", "/resume");
    if (status !== 204) throw new AuditFailure("the resume after a round", [`status ${status}`]);
    return { ...found, isPaused: false };
  }

  async #read(changed: readonly ProjectionName[]): Promise<StoreContent> {
    const names = [...changed, ...this.#found?.projections ?? []];
    const distinct = new Map(names.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
    const every = this.#context.edition === "B" ? "all" : "*";
    return await readOverHttp(this.#server!.client(), every, [...distinct.values()]);
  }

  #options() {
    return {
      directory: this.#directory,
      listen: "unix",
      listenOnly: true,
      env: { SERVICE_EDITION: this.#context.edition, SERVICE_DEV_MODE: "true" },
    } as const;
  }
}

/** Several clients that write, or one client that does everything. */
function clientsOf(
  edition: CheckContext["edition"],
  random: Random,
  server: ServerProcess,
  recorder: HistoryRecorder,
  isOver: () => boolean,
): Promise<unknown> {
  const isAlone = random.chance(0.3);
  return Promise.all(Array.from({ length: isAlone ? 1 : CLIENTS }, (_, i) => {
    const name = `client ${i}`;
    const own = random.fork();
    const choose = (id: number) =>
      isAlone ? randomAdministration(own, edition, name, id) : randomLoad(own, name, id);
    return actUntilGone(edition, server.client(), name, recorder, choose, isOver);
  }));
}
