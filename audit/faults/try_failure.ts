import { join } from "node:path";
import { eventually, pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, spawnServer, startServer } from "../../tests/support/server_process.ts";
import { type Known, readAll } from "./read_all.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { AuditFailure } from "../report.ts";
import { AttachedStrace, straceOf, straceToEnd } from "../server/strace.ts";
import { hasEnded, hasInjected } from "../server/traced_calls.ts";
import { emptyStore } from "../history/store_content.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import { openStore } from "../history/open_store.ts";
import { type Act, HistoryRecorder } from "../history/record.ts";
import { randomWrite } from "../workload/acts.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { Random } from "../workload/random.ts";

/** The activities of a server during which calls fail. */
export const OCCASIONS = [
  "first start",
  "write",
  "projections",
  "checkpoint",
  "rest",
  "read",
  "reset",
  "optimize",
  "stop",
] as const;

export type Occasion = (typeof OCCASIONS)[number];

export interface Try {
  readonly edition: EditionName;
  readonly occasion: Occasion;
  /** The seed of the clients' acts. With the same seed, a server makes the same calls. */
  readonly seed: number;
  readonly directory: string;
  /** The calls to trace. */
  readonly calls: string;
  /** The fault injected into one of the calls. Without it, all succeed. */
  readonly injection?: string;
}

export interface Tried {
  readonly trace: string;
  /** True when a call failed at all. */
  readonly isTouched: boolean;
  /** True when the server ended by itself, as it must when the content of the disk is unknown. */
  readonly endedByItself: boolean;
  readonly acknowledged: number;
  readonly rejected: number;
  readonly unanswered: number;
  /** Complete answers to reads. */
  readonly completeReads: number;
}

const CLIENT = "client 0";

type Kind = Exclude<Act["kind"], "forget"> | "projections" | keyof typeof CROWDS;

/** Writes with many events. */
const CROWDS = {
  /** Larger than the threshold of a checkpoint. */
  large: { length: 40, payload: "y".repeat(60_000) },
  /** So many that a search uses the index. */
  many: { length: 100, payload: "z" },
} as const;

/** Longer than the server is idle before it empties its log. */
const REST_MILLISECONDS = 2600;

/** Runs one occasion at which calls fail. @throws AuditFailure when a client received an answer that was not true */
export async function tryFailure(
  { edition, occasion, seed, directory, calls, injection }: Try,
): Promise<Tried> {
  using recorder = new HistoryRecorder(join(directory, "witness.jsonl"), 0);
  const scene = new Scene(edition, directory, recorder, new Random(seed));
  const output = join(directory, "strace");
  const strace = await straceOf(join(directory, "data"), output, calls, injection);
  let storeId: string | undefined;
  let endedByItself = false;
  let pid: number;
  {
    await using server = occasion === "first start"
      ? spawnServer({ ...scene.options, under: straceToEnd(strace) })
      : await startServer(scene.options);
    pid = server.pid;
    const ended = watch(server);
    if (occasion !== "first start") await scene.act(server, ["write", "projections"]);
    if (occasion === "read") await scene.act(server, Array.from({ length: 8 }, () => "many"));
    const traced = occasion === "first start" ? undefined : await AttachedStrace.to(server.pid, strace);
    await scene.meet(server, occasion, ended);
    await traced?.detach();
    if (ended.code === undefined && occasion !== "stop") await scene.act(server, ["write"]);
    await pause(20);
    storeId = /, store ([0-9a-f-]+) /.exec(server.stdout)?.[1];
    endedByItself = ended.code !== undefined && !(occasion === "stop" && ended.code === 0);
    if (endedByItself) assertSaidWhy(ended.code!, server.stderr);
  }
  if (occasion === "first start") {
    await eventually(() => {
      if (!hasEnded(Deno.readTextFileSync(output), pid)) throw new Error("the trace has no end");
    }, 60);
  }
  checkHistory(scene, storeId, recorder);
  const attempts = attemptsIn(recorder.entries);
  const count = (fate: string | undefined): number =>
    attempts.filter(({ answer }) => answer?.fate === fate).length;
  const trace = Deno.readTextFileSync(output);
  return {
    trace,
    isTouched: hasInjected(trace),
    endedByItself,
    acknowledged: count("done"),
    rejected: count("rejected"),
    unanswered: count(undefined),
    completeReads: scene.completeReads,
  };
}

/** The exit code, once the server has ended. */
interface Ended {
  code: number | undefined;
  readonly promise: Promise<void>;
}

function watch(server: ServerProcess): Ended {
  const ended: { code: number | undefined; promise: Promise<void> } = {
    code: undefined,
    promise: Promise.resolve(),
  };
  ended.promise = server.ended(120).then(({ code }) => void (ended.code = code));
  ended.promise.catch(() => {});
  return ended;
}

class Scene {
  readonly options: {
    readonly directory: string;
    readonly listen: "unix";
    readonly listenOnly: true;
    readonly env: Readonly<Record<string, string>>;
  };
  readonly edition: EditionName;
  /** Complete answers to reads. */
  completeReads = 0;
  readonly #recorder: HistoryRecorder;
  readonly #random: Random;

  constructor(edition: EditionName, directory: string, recorder: HistoryRecorder, random: Random) {
    this.edition = edition;
    this.#recorder = recorder;
    this.#random = random;
    const env = { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true" };
    this.options = { directory, listen: "unix", listenOnly: true, env };
  }

  /** The acts of the clients while calls fail. */
  async meet(server: ServerProcess, occasion: Occasion, ended: Ended): Promise<void> {
    switch (occasion) {
      case "first start":
        await Promise.race([server.waitForOutput((text) => /listening on/.test(text), 20), ended.promise])
          .catch(() => {});
        return ended.code === undefined ? await this.act(server, ["write"]) : undefined;
      case "stop":
        server.signal("SIGTERM");
        return await ended.promise;
      case "read":
        await this.#read(server);
        return await this.act(server, ["write"]);
      case "checkpoint":
        return await this.act(server, ["write", "large", "large", "write"]);
      case "rest":
        await this.act(server, ["write"]);
        return await pause(REST_MILLISECONDS);
      case "projections":
        return await this.act(server, ["projections", "projections", "deleteProjections", "write"]);
      case "optimize":
        return await this.act(server, ["optimize", "write"]);
      case "reset":
        return await this.act(server, ["pause", "reset", "resume", "write"]);
      case "write":
        return await this.act(server, ["write", "write", "write"]);
    }
  }

  /** One client alone makes one act after the other. */
  async act(server: ServerProcess, kinds: readonly Kind[]): Promise<void> {
    const waiting = kinds.filter((kind) => this.edition !== "A" || (kind !== "pause" && kind !== "resume"));
    const choose = (id: number): Act => this.#actOf(waiting.shift()!, id);
    const { edition } = this;
    await actUntilGone(edition, server.client(), CLIENT, this.#recorder, choose, () => waiting.length === 0);
  }

  #actOf(kind: Kind, id: number): Act {
    if (kind === "deleteProjections") return { kind, type: CLIENT };
    if (kind !== "write" && kind !== "large" && kind !== "many" && kind !== "projections") return { kind };
    let act = randomWrite(this.#random, CLIENT, id);
    while (
      act.kind !== "write" || act.events.length === 0 ||
      (kind === "projections") !== act.projections.length > 0
    ) {
      act = randomWrite(this.#random, CLIENT, id);
    }
    if (kind !== "large" && kind !== "many") return { ...act, condition: "none" };
    const { length, payload } = CROWDS[kind];
    const events = Array.from({ length }, () => ({ ...act.events[0]!, payload }));
    return { ...act, events, condition: "none" };
  }

  /** Reads everything that was acknowledged, while calls fail. */
  async #read(server: ServerProcess): Promise<void> {
    const done = attemptsIn(this.#recorder.entries).flatMap(({ act, answer }) =>
      act.kind === "write" && answer?.fate === "done" ? [act] : []
    );
    const known: Known = {
      events: done.flatMap(({ events }) => events),
      projections: done.flatMap(({ projections }) => projections),
    };
    this.completeReads += await readAll(this.edition, server.client(), known);
  }
}

/** Failed requests may have logged errors before. The last line is for the operator. */
function assertSaidWhy(code: number, stderr: string): void {
  const lastLine = stderr.trimEnd().split("\n").at(-1)!;
  if (code === 1 && /^eventstore-server: ./.test(lastLine)) return;
  throw new AuditFailure("the server ended", [`exit code ${code}, standard error: ${stderr.slice(-1000)}`]);
}

/** Starts the server on a disk that works, and compares its content with the answers. @throws AuditFailure */
function checkHistory(
  { edition, options }: Scene,
  storeId: string | undefined,
  recorder: HistoryRecorder,
): void {
  const found = openStore(join(options.directory, "data"), edition);
  const faults = faultsOf(emptyStore(storeId ?? found.storeId), recorder.entries, found);
  if (faults.length > 0) throw new AuditFailure("after a start on a disk that works", faults);
}
