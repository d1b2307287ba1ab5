import { Histogram } from "../../bench/histogram.ts";
import { BackupDirectories } from "../../tests/backup/run_backup.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import type { EventsPage } from "../../tests/support/client.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import { AuditFailure } from "../report.ts";
import type { Entry } from "../history/record.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { randomLoad } from "../workload/acts.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import { type Latencies, latenciesOf } from "./latencies.ts";
import { TimedRecorder } from "./timed_recording.ts";

/** The activity of the clients of a stretch besides writing. */
export interface Done {
  reads: number;
  /** Reads that waited for events of a busy writer, and how many of them received one. */
  waits: number;
  woken: number;
  backups: number;
}

const WRITERS = 4;
const READERS = 2;

/** The longest time that a client rests between two acts: the load stays the same while the store grows. */
const REST_MILLISECONDS = { writer: 200, reader: 150, backup: 10_000 };

const WAIT_SECONDS = 5;

export interface LoadOptions {
  readonly edition: EditionName;
  readonly server: ServerProcess;
  readonly backups: BackupDirectories;
  /** The number of the last act of the earlier loads. */
  readonly lastId: number;
  /** A file that does not exist yet. */
  readonly historyPath: string;
  readonly done: Done;
}

/**
 * Writers, readers, waiting reads, and backups. They run from the constructor until they are stopped, or the server is
 * gone.
 */
export class Load {
  readonly #options: LoadOptions;
  readonly #recorder: TimedRecorder;
  readonly #working: Promise<unknown>;
  readonly #stopping = Promise.withResolvers<void>();
  #isOver = false;
  /** The server is about to be stopped or killed. */
  #isFalling = false;
  #reads = new Histogram();
  #failure: unknown;

  constructor(options: LoadOptions, random: Random) {
    this.#options = options;
    this.#recorder = new TimedRecorder(options.historyPath, options.lastId);
    const work = [
      ...Array.from({ length: WRITERS }, (_, i) => this.#write(`client ${i}`, random.fork())),
      ...Array.from({ length: READERS }, () => this.#again(random.fork(), (own) => this.#read(own))),
      this.#again(random.fork(), (own) => this.#wait(own)),
      this.#backUp(),
    ];
    // `assertWorking` reports it at the next sample, and at the end.
    this.#working = Promise.all(work.map((one) => one.catch((error) => this.#failure ??= error)));
  }

  get entries(): readonly Entry[] {
    return this.#recorder.entries;
  }

  get lastId(): number {
    return this.#recorder.lastId;
  }

  /** @throws the error that has ended one of the clients */
  assertWorking(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Returns the latencies since the last call. */
  takeLatencies(): { readonly writes: Latencies; readonly reads: Latencies } {
    const reads = this.#reads;
    this.#reads = new Histogram();
    return { writes: latenciesOf(this.#recorder.takeLatencies()), reads: latenciesOf(reads) };
  }

  /** From now on an answer may be missing. */
  expectFall(): void {
    this.#isFalling = true;
  }

  /** Ends the load, and resolves when every client has ended its act. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#stopping.resolve();
    await this.#working;
    this.#recorder[Symbol.dispose]();
    this.assertWorking();
  }

  async #rest(milliseconds: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const id = setTimeout(timer.resolve, milliseconds);
    await Promise.race([timer.promise, this.#stopping.promise]);
    clearTimeout(id);
  }

  #write(name: string, random: Random): Promise<void> {
    const { edition, server } = this.#options;
    return actUntilGone(
      edition,
      server.client(),
      name,
      this.#recorder,
      (id) => randomLoad(random, name, id),
      () => this.#isOver,
      () => this.#rest(random.below(REST_MILLISECONDS.writer)),
    );
  }

  async #again(random: Random, work: (random: Random) => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        await work(random);
      } catch (error) {
        if (isGone(error)) return;
        throw error;
      }
      await this.#rest(random.below(REST_MILLISECONDS.reader));
    }
  }

  /** Reads a page from a random position: the last events of a client, events of one type, or all events. */
  async #read(random: Random): Promise<void> {
    const began = performance.now();
    const head = await this.#head();
    const afterSequence = random.below(head + 1);
    const { edition } = this.#options;
    const [query, range] = random.pick<readonly [unknown, object]>([
      [[byWriter(random)], { backwards: true, limit: 20 }],
      [[{ types: ["moved"] }], { afterSequence, limit: 50 }],
      [edition === "B" ? "all" : "*", { afterSequence, limit: 50 }],
    ]);
    if (await this.#page(query, range) === undefined) return;
    this.#reads.add(performance.now() - began);
    this.#options.done.reads++;
  }

  /** Waits for the next event of a writer, or for an event that no client writes. */
  async #wait(random: Random): Promise<void> {
    const isBusy = random.chance(0.9);
    const item = isBusy ? byWriter(random) : { types: ["never written"] };
    const range = { afterSequence: await this.#head(), waitSeconds: isBusy ? WAIT_SECONDS : 1 };
    const page = await this.#page([item], range);
    if (page === undefined || !isBusy || this.#isOver) return;
    this.#options.done.waits++;
    if (page.events.length > 0) this.#options.done.woken++;
  }

  async #head(): Promise<number> {
    const every = this.#options.edition === "B" ? "all" : "*";
    const page = await this.#page(every, { backwards: true, limit: 1 });
    return page === undefined ? 0 : Number(page.reply.headers.get("x-service-head"));
  }

  /** @returns undefined when the read was cut short because the server was stopped or killed */
  async #page(query: unknown, range: object): Promise<EventsPage | undefined> {
    const page = await this.#options.server.client().queryEvents(query, range);
    if (page.hasMore !== undefined) return page;
    if (this.#isFalling) return undefined;
    throw new AuditFailure("a read", [`${page.reply.status} ${page.reply.text.slice(-300)}`]);
  }

  async #backUp(): Promise<void> {
    const { backups, done } = this.#options;
    while (!this.#isOver) {
      const { code, stderr } = await backups.run({ seconds: 600 });
      if (code === 0) done.backups++;
      else if (!this.#isFalling) throw new AuditFailure("a backup", [`exit code ${code}`, stderr]);
      await this.#rest(REST_MILLISECONDS.backup);
    }
  }
}

function byWriter(random: Random) {
  return { identifiers: [{ name: "by", value: `client ${random.below(WRITERS)}` }] };
}
