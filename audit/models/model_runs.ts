import fc from "fast-check";
import { spawnServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, demand, type Figures, limit } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { Random } from "../workload/random.ts";
import { compareEverything, type Model, stop } from "./common.ts";
import { drawnA } from "./a_write/drawn.ts";
import { ModelA } from "./a_write/model.ts";
import { drawnB } from "./b_tx/drawn.ts";
import { ModelB } from "./b_tx/model.ts";
import { drawnC } from "./c_ticket/drawn.ts";
import { ModelC } from "./c_ticket/model.ts";
import { LIMIT_VARIABLES } from "./limits.ts";
import { System } from "./system.ts";

/*
 * Random commands over all endpoints of an edition, to the real server and to a model of the edition in memory. After
 * each command both must agree. A run that fails is made shorter until each of its commands is needed.
 */

/** A run starts with an empty store. This is its maximum number of commands. */
const COMMANDS_MAX = 120;

/** The number of runs of one seed. The first runs of a seed have fewer different values. */
const RUNS_OF_A_SEED = 20;

/** One run in this number ends with a stop of the server, and one with a kill. */
const RUNS_OF_A_STOP = 10;

/** Runs are long, and some of them restart the server. The test of this check must still end in time. */
const SHRINKING_MILLISECONDS = 2 * 60_000;

interface PlayedModel<Drawn> extends Model {
  play(system: System, drawn: Drawn): Promise<void>;
}

interface Commands<Drawn> {
  readonly drawn: fc.Arbitrary<Drawn>;
  readonly begin: (system: System) => Promise<PlayedModel<Drawn>>;
}

// deno-lint-ignore no-explicit-any
const EDITIONS: Readonly<Record<EditionName, Commands<any>>> = {
  A: { drawn: drawnA, begin: ModelA.begin },
  B: { drawn: drawnB, begin: ModelB.begin },
  C: { drawn: drawnC, begin: ModelC.begin },
};

/** One command, as it was drawn. */
class Command<Drawn> implements fc.AsyncCommand<PlayedModel<Drawn>, System> {
  readonly #drawn: Drawn;

  constructor(drawn: Drawn) {
    this.#drawn = drawn;
  }

  check(): boolean {
    return true;
  }

  async run(model: PlayedModel<Drawn>, system: System): Promise<void> {
    system.tally.rounds++;
    await model.play(system, this.#drawn);
  }

  toString(): string {
    return JSON.stringify(this.#drawn);
  }
}

/** A round is one command. */
export async function modelRuns(context: CheckContext): Promise<Figures> {
  const { edition, seed, extent, directory, replay } = context;
  const random = new Random(seed);
  await using server = spawnServer({
    directory,
    listen: "unix",
    listenOnly: true,
    env: { ...LIMIT_VARIABLES, SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true" },
  });
  const system = new System(server, edition);
  await system.started();
  if (replay !== undefined) {
    const { seed, path, replayPath } = parseReplay(replay);
    await runOneSeed(system, () => false, { seed, path, endOnFailure: true }, replayPath);
    // One run is too short for the minimum counts.
    return { ...system.tally };
  }
  const isOver = () => extent.isOver(system.tally.rounds);
  while (!isOver()) await runOneSeed(system, isOver, { seed: random.below(2 ** 31) });
  const { tally } = system;
  demand("models", tally.runs, {
    requests: [tally.requests, tally.rounds / 2],
    rejected: [tally.rejected, tally.rounds / 20],
    commits: [tally.commits, tally.rounds / 20],
    conflicts: [tally.conflicts, tally.rounds / 100],
    "limits at their edges": [tally.edges, tally.rounds / 50],
    "restarts and kills": [tally.restarts + tally.kills, tally.runs / RUNS_OF_A_STOP],
    "reads that were woken": [tally.woken, tally.rounds / 1500],
    "full queues": [tally.fullQueues, Math.floor(tally.rounds / 4000)],
    "requests that a kill met": [tally.interrupted, Math.floor(tally.rounds / 20_000)],
  });
  limit("models", tally.runs, { "queues out of turn": [tally.outOfTurn, 3 + tally.queues / 3] });
  return { ...tally };
}

type Parameters = Pick<fc.Parameters, "seed" | "path" | "endOnFailure">;

async function runOneSeed(
  system: System,
  isOver: () => boolean,
  parameters: Parameters,
  replayPath?: string,
): Promise<void> {
  const { drawn, begin } = EDITIONS[system.edition];
  const command = drawn.map((drawn) => new Command(drawn));
  const commands = fc.commands([command], {
    maxCommands: COMMANDS_MAX,
    size: "max",
    ...replayPath === undefined ? {} : { replayPath },
  });
  let shrinksUntil: number | undefined;
  /** The number of runs of this seed before this one. */
  let before = Number(parameters.path?.split(":")[0] ?? 0);
  const property = fc.asyncProperty(commands, async (commands) => {
    if (shrinksUntil === undefined ? isOver() : performance.now() > shrinksUntil) return;
    try {
      await runOnce(system, commands, begin, before % RUNS_OF_A_STOP);
      if (shrinksUntil === undefined) before++;
    } catch (error) {
      system.isSuspect = true;
      shrinksUntil ??= performance.now() + SHRINKING_MILLISECONDS;
      throw error;
    }
  });
  const run = await fc.check(property, { ...parameters, numRuns: RUNS_OF_A_SEED });
  if (!run.failed) return;
  throw failureOf(run);
}

async function runOnce<Drawn>(
  system: System,
  commands: Iterable<fc.AsyncCommand<PlayedModel<Drawn>, System>>,
  begin: Commands<Drawn>["begin"],
  turn: number,
): Promise<void> {
  await system.recover();
  system.tally.runs++;
  const model = await begin(system);
  try {
    await fc.asyncModelRun(() => ({ model, real: system }), commands);
    await model.finish(system);
    if (turn === 0 || turn === RUNS_OF_A_STOP / 2) await stop(model, system, turn === 0);
    await model.look(system);
    await compareEverything(model.store, system);
  } finally {
    await model.waitingReads.leave();
  }
}

/** Parses the text of `--replay`: seed and path of the run, and which of its commands remained. */
function parseReplay(text: string): { seed: number; path: string; replayPath: string } {
  const [seed = "", path = "", replayPath = ""] = text.split(",");
  return { seed: Number(seed), path, replayPath };
}

/** The fields reported for a run that has failed. */
interface FailedRun {
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
  readonly errorInstance: unknown;
}

function failureOf(run: FailedRun): AuditFailure {
  const [commands] = run.counterexample!;
  const text = String(commands);
  const replayPath = /\/\*replayPath="(.*)"\*\//.exec(text)?.[1] ?? "";
  return new AuditFailure("commands that the server and the model understand differently", [
    text.replace(/\s*\/\*replayPath.*$/, ""),
    run.errorInstance instanceof Error ? run.errorInstance.message : String(run.errorInstance),
    `these commands alone: --replay ${run.seed},${run.counterexamplePath},${replayPath}`,
  ]);
}
