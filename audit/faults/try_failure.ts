import { join } from "node:path";
import { pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, spawnServer, startServer } from "../../tests/support/server_process.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { AuditFailure } from "../report.ts";
import { AttachedStrace, straceCommand, straceOf } from "../server/strace.ts";
import { emptyStore } from "../witness/found_store.ts";
import { attemptsIn, faultsOf } from "../witness/judge.ts";
import { readOverHttp } from "../witness/read_over_http.ts";
import { type Act, Witness } from "../witness/record.ts";
import { randomWrite } from "../workload/acts.ts";
import type { EditionName } from "../workload/perform.ts";
import type { Random } from "../workload/random.ts";
import type { Occasion } from "./combinations.ts";

export interface Tried {
  /** Whether a call failed at all. */
  readonly isTouched: boolean;
  /** Whether the server gave up, as it must when nobody knows what is on the disk. */
  readonly endedByItself: boolean;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
}

const CLIENT = "client 0";

/** Longer than the server rests before it empties its log. */
const REST_MILLISECONDS = 2600;

/** One occasion at which calls fail. @throws AuditFailure when anybody was told something else than the truth */
export async function tryFailure(
  edition: EditionName,
  occasion: Occasion,
  injection: string,
  call: string,
  directory: string,
  random: Random,
): Promise<Tried> {
  using witness = new Witness(join(directory, "witness.jsonl"), 0);
  const scene = new Scene(edition, directory, witness, random);
  const output = join(directory, "strace");
  const strace = await straceOf(join(directory, "data"), output, call, injection);
  let storeId: string | undefined;
  let endedByItself = false;
  {
    await using server = occasion === "first start"
      ? await spawnServer({ ...scene.options, under: straceCommand(strace) })
      : await startServer(scene.options);
    const ended = watch(server);
    if (occasion !== "first start") await scene.act(server, ["write", "write"]);
    const traced = occasion === "first start" ? undefined : await AttachedStrace.to(server.pid, strace);
    await scene.meet(server, occasion, ended);
    await traced?.detach();
    if (ended.code === undefined && occasion !== "stop") await scene.act(server, ["write"]);
    await pause(20);
    storeId = /, store ([0-9a-f-]+) /.exec(server.stdout)?.[1];
    endedByItself = ended.code !== undefined && occasion !== "stop";
    if (endedByItself) assertSaidWhy(ended.code!, server.stderr);
  }
  await judge(scene, storeId, witness);
  const attempts = attemptsIn(witness.entries);
  const count = (fate: string | undefined): number =>
    attempts.filter(({ told }) => told?.fate === fate).length;
  return {
    isTouched: /\(INJECTED\)/.test(Deno.readTextFileSync(output)),
    endedByItself,
    acknowledged: count("done"),
    refused: count("refused"),
    unanswered: count(undefined),
  };
}

/** The exit code, once there is one. */
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
  readonly #witness: Witness;
  readonly #random: Random;

  constructor(edition: EditionName, directory: string, witness: Witness, random: Random) {
    this.edition = edition;
    this.#witness = witness;
    this.#random = random;
    const env = { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true" };
    this.options = { directory, listen: "unix", listenOnly: true, env };
  }

  /** What happens while calls fail. */
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
        await this.act(server, ["write", "large", "large", "write"]);
        if (this.#random.chance(0.3)) await pause(REST_MILLISECONDS);
        return;
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

  /** One client alone, one act after the other. */
  async act(server: ServerProcess, kinds: readonly (Act["kind"] | "large" | "projections")[]): Promise<void> {
    const waiting = kinds.filter((kind) => this.edition !== "A" || (kind !== "pause" && kind !== "resume"));
    const choose = (id: number): Act => this.#actOf(waiting.shift()!, id);
    const { edition } = this;
    await actUntilGone(edition, server.client(), CLIENT, this.#witness, choose, () => waiting.length === 0);
  }

  #actOf(kind: Act["kind"] | "large" | "projections", id: number): Act {
    if (kind === "deleteProjections") return { kind, type: CLIENT };
    if (kind !== "write" && kind !== "large" && kind !== "projections") return { kind };
    let act = randomWrite(this.#random, CLIENT, id);
    while (
      act.kind !== "write" || act.events.length === 0 ||
      (kind === "projections") !== act.projections.length > 0
    ) {
      act = randomWrite(this.#random, CLIENT, id);
    }
    if (kind !== "large") return { ...act, condition: "none" };
    // More than a checkpoint waits for.
    const payload = "y".repeat(60_000);
    const events = Array.from({ length: 40 }, () => ({ ...act.events[0]!, payload }));
    return { ...act, events, condition: "none" };
  }

  /** What a reader gets while calls fail is right, or no complete page. */
  async #read(server: ServerProcess): Promise<void> {
    const every = this.edition === "B" ? "all" : "*";
    const known = attemptsIn(this.#witness.entries).flatMap(({ act, told }) =>
      act.kind === "write" && told?.fate === "done" ? act.events : []
    );
    for (let i = 0; i < 3; i++) {
      const page = await server.client().queryEvents(every).catch(() => undefined);
      if (page?.hasMore !== false) continue;
      const isRight = page.events.length === known.length &&
        page.events.every(({ payload }, at) => payload === known[at]!.payload);
      if (!isRight) {
        throw new AuditFailure("a complete page", [`${page.events.length} of ${known.length} events`]);
      }
    }
  }
}

/** Failed requests may have left their traces before; the last line is for the operator. */
function assertSaidWhy(code: number, stderr: string): void {
  const lastLine = stderr.trimEnd().split("\n").at(-1)!;
  if (code === 1 && /^eventstore-server: ./.test(lastLine)) return;
  throw new AuditFailure("the server ended", [`exit code ${code}, standard error: ${stderr.slice(-1000)}`]);
}

/** A start on a disk that works, and everything compared with what was told. */
async function judge(scene: Scene, storeId: string | undefined, witness: Witness): Promise<void> {
  await using server = await startServer(scene.options);
  const changed = attemptsIn(witness.entries).flatMap(({ act }) =>
    act.kind === "write" ? act.projections : []
  );
  const names = new Map(changed.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
  const every = scene.edition === "B" ? "all" : "*";
  const found = await readOverHttp(server.client(), every, [...names.values()]);
  const faults = faultsOf(emptyStore(storeId ?? found.storeId), witness.entries, found);
  if (faults.length > 0) throw new AuditFailure("after a start on a disk that works", faults);
  if (found.isPaused) await scene.act(server, ["resume"]);
  const before = witness.done;
  await scene.act(server, ["write"]);
  if (witness.done === before) {
    throw new AuditFailure("after a start on a disk that works", ["no write succeeds"]);
  }
}
