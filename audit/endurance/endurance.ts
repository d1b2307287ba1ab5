import { join } from "node:path";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { BackupDirectories, type RunJson } from "../../tests/backup/run_backup.ts";
import { pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { faultsOfDatabase } from "../history/read_files.ts";
import { Random } from "../workload/random.ts";
import { Comparison, FOLLOWED_TYPE } from "./comparison.ts";
import { flatnessOf } from "./flatness.ts";
import { Follower } from "./follower.ts";
import { type Done, Load } from "./load.ts";
import { recordPath, type Sample } from "./sample.ts";
import { Sampler } from "./sampler.ts";

/*
 * A store with mixed load for any length of time. In the first third the server is stopped or killed after each round.
 * Then it runs undisturbed, and at the end it is stopped or killed once more. No acknowledged write may be lost, and no
 * measure that should stay flat may grow.
 */

const ROUND_SECONDS = 60;
const SAMPLE_SECONDS = 5;

/** The maximum number of restarts. */
const RESTARTS_MAX = 10;

type Manner = "go on" | "stop" | "kill";

export async function endurance(context: CheckContext): Promise<Figures> {
  const place = await Place.begin(context);
  try {
    return await place.run();
  } catch (error) {
    await place.abandon();
    throw error;
  }
}

/** A store under load, over several lives of its server. */
class Place {
  readonly #context: CheckContext;
  readonly #random: Random;
  readonly #server: ServerProcess;
  readonly #backups: BackupDirectories;
  readonly #followers: readonly Follower[];
  readonly #done: Done = { reads: 0, waits: 0, woken: 0, backups: 0 };
  readonly #samples: Sample[] = [];
  readonly #sampler = new Sampler();
  readonly #comparison: Comparison;
  readonly #record: ((sample: Sample) => void) | undefined;
  #rounds = 0;
  #restarts = 0;
  #lastId = 0;

  private constructor(context: CheckContext, server: ServerProcess, storeId: string) {
    this.#context = context;
    this.#random = new Random(context.seed);
    this.#server = server;
    this.#comparison = new Comparison(this.#every, storeId);
    this.#backups = new BackupDirectories(server.address, context.directory);
    const { edition, record } = context;
    if (record !== undefined) this.#record = recorderFor(record, edition);
    this.#followers = [
      new Follower(edition, server.address, []),
      new Follower(edition, server.address, [FOLLOWED_TYPE]),
    ];
  }

  static async begin(context: CheckContext): Promise<Place> {
    const directory = join(context.directory, "store");
    Deno.mkdirSync(directory);
    const server = await startServer({
      directory,
      listen: "unix",
      listenOnly: true,
      env: { SERVICE_EDITION: context.edition },
    });
    const storeId = /, store ([0-9a-f-]+) /.exec(server.stdout)![1]!;
    return new Place(context, server, storeId);
  }

  async run(): Promise<Figures> {
    const { extent, edition } = this.#context;
    const seconds = ROUND_SECONDS * Math.min(1, extent.left(0));
    const restarts = Math.min(RESTARTS_MAX, extent.left(0) / 3);
    for (; !extent.isOver(this.#rounds); this.#rounds++) {
      const isUndisturbed = this.#rounds >= restarts && !extent.isOver(this.#rounds + 1);
      await this.#round(seconds, isUndisturbed ? "go on" : this.#rounds % 2 === 0 ? "kill" : "stop");
    }
    await this.#end();
    const { isJudged, isTimeChecked, growth, faults } = flatnessOf(this.#samples);
    if (faults.length > 0) throw new AuditFailure(`edition ${edition} does not stay flat`, faults);
    this.#demand();
    return {
      rounds: this.#rounds,
      restarts: this.#restarts,
      ...this.#comparison.tally,
      ...this.#done,
      samples: this.#samples.length,
      flatnessJudged: Number(isJudged),
      latencyJudged: Number(isTimeChecked),
      ...growth === undefined ? {} : { memoryMibPerHour: Math.round(growth) },
    };
  }

  /** Cleans up after a failure. */
  async abandon(): Promise<void> {
    for (const follower of this.#followers) await follower.leave();
    await this.#server[Symbol.asyncDispose]();
  }

  async #round(seconds: number, manner: Manner): Promise<void> {
    const historyPath = join(this.#context.directory, "witness.jsonl");
    const load = new Load({
      edition: this.#context.edition,
      server: this.#server,
      backups: this.#backups,
      lastId: this.#lastId,
      historyPath,
      done: this.#done,
    }, this.#random.fork());
    this.#sampler.skip(this.#server);
    try {
      await this.#sampleFor(seconds, load);
    } catch (error) {
      load.expectFall();
      await load.stop().catch(() => {});
      throw error;
    }
    await this.#endRound(load, manner);
    const where = `round ${this.#rounds}, then ${manner}`;
    await this.#comparison.add(where, this.#server.client(), load.entries);
    this.#lastId = load.lastId;
    Deno.removeSync(historyPath);
  }

  async #sampleFor(seconds: number, load: Load): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    for (let left = seconds; left > 0; left = (endsAt - performance.now()) / 1000) {
      await pause(1000 * Math.min(SAMPLE_SECONDS, left));
      load.assertWorking();
      for (const follower of this.#followers) follower.assertWorking();
      const sample = this.#sampler.take(this.#server, this.#restarts, await this.#head(), load);
      this.#samples.push(sample);
      this.#record?.(sample);
    }
  }

  /** Stops or kills the server under load, or only ends the load. */
  async #endRound(load: Load, manner: Manner): Promise<void> {
    if (manner === "go on") return await load.stop();
    load.expectFall();
    if (manner === "kill") await this.#server.kill();
    else {
      const { code, stderr } = await this.#server.stop();
      if (code !== 0) throw new AuditFailure("a stop under load", [`exit code ${code}`, stderr]);
    }
    await load.stop();
    await this.#server.start();
    this.#restarts++;
  }

  /** Followers and backups have received everything, and nothing has changed since. */
  async #end(): Promise<void> {
    const { events, followedType } = this.#comparison.tally;
    const [ofAll, ofType] = this.#followers;
    await ofAll!.arrive(events, events);
    await ofType!.arrive(events, followedType);
    for (const follower of this.#followers) await follower.leave();
    const { lastSequence } = JSON.parse(await this.#runBackup("--json")) as RunJson;
    if (lastSequence !== events) {
      throw new AuditFailure("the last backup", [`it ends with event ${lastSequence} of ${events}`]);
    }
    await this.#runBackup("verify", "--against-source");
    const { code } = await this.#server.stop();
    if (code !== 0) throw new AuditFailure("the last stop", [`exit code ${code}`]);
    using db = openForChecking(this.#server.databasePath);
    const faults = faultsOfDatabase(db);
    if (faults.length > 0) throw new AuditFailure("the file at the end", faults);
  }

  /** @returns the output of the program */
  async #runBackup(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#backups.run({ args, seconds: 3600 });
    if (code !== 0) throw new AuditFailure(`eventstore-backup ${args.join(" ")}`, [stderr]);
    return stdout;
  }

  #demand(): void {
    const rounds = this.#rounds;
    const { acknowledged, rejected } = this.#comparison.tally;
    const { reads, waits, woken, backups } = this.#done;
    demand("endurance", rounds, {
      acknowledged: [acknowledged, rounds * 60],
      rejected: [rejected, rounds],
      reads: [reads, rounds * 60],
      "waits that ended with an event": [woken, waits / 2],
      waits: [waits, rounds * 5],
      backups: [backups, rounds / 2],
      restarts: [this.#restarts, 5],
    });
  }

  async #head(): Promise<number> {
    const page = await this.#server.client().queryEvents(this.#every, { backwards: true, limit: 1 });
    return Number(page.reply.headers.get("x-service-head"));
  }

  get #every(): "all" | "*" {
    return this.#context.edition === "B" ? "all" : "*";
  }
}

/** Starts a new record. */
function recorderFor(directory: string, edition: string): (sample: Sample) => void {
  const path = recordPath(directory, edition);
  Deno.writeTextFileSync(path, "");
  return (sample) => Deno.writeTextFileSync(path, `${JSON.stringify(sample)}\n`, { append: true });
}
