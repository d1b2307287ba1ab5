import { join } from "node:path";
import { eventually, pause } from "../../../support/eventually.ts";
import { freePort } from "../../../support/free_port.ts";
import { PatroniNode, type PatroniPrograms } from "./patroni_node.ts";
import { asUnprivileged, disown, reachable } from "./unprivileged.ts";

/** The time limit until a new cluster is complete, or complete again. */
const COMPLETE_SECONDS = 180;

/** PostgreSQL hosts with Patroni and etcd: one is the primary, and one a synchronous standby. */
export class PatroniCluster implements AsyncDisposable {
  readonly nodes: readonly PatroniNode[];
  readonly #directory: string;
  readonly #etcd: Deno.ChildProcess;

  private constructor(directory: string, etcd: Deno.ChildProcess, nodes: readonly PatroniNode[]) {
    this.#directory = directory;
    this.#etcd = etcd;
    this.nodes = nodes;
  }

  /** @param count how many hosts */
  static async start(fetched: PatroniPrograms, count = 2): Promise<PatroniCluster> {
    const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
    disown(directory);
    const programs = reachable(fetched, directory);
    const etcdPort = freePort();
    const etcd = startEtcd(programs, directory, etcdPort);
    const names = Array.from({ length: count }, (_, i) => `node_${i}`);
    const nodes = names.map((name) => new PatroniNode(name, directory, programs, etcdPort));
    const cluster = new PatroniCluster(directory, etcd, nodes);
    try {
      await eventually(async () => {
        await (await fetch(`http://127.0.0.1:${etcdPort}/version`)).body?.cancel();
      }, COMPLETE_SECONDS);
      for (const node of nodes) node.start();
      await cluster.complete();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @returns undefined while there is none */
  async primary(): Promise<PatroniNode | undefined> {
    for (const node of this.nodes) if (await node.isPrimary()) return node;
    return undefined;
  }

  /** Waits until there are a primary and a synchronous standby. @returns the primary */
  async complete(): Promise<PatroniNode> {
    const endsAt = performance.now() + COMPLETE_SECONDS * 1000;
    for (;;) {
      const states = await Promise.all(
        this.nodes.map(async (node) => await node.isPrimary() ? "primary" : await node.isSynchronous()),
      );
      if (states.includes("primary") && states.includes(true)) return this.nodes[states.indexOf("primary")]!;
      if (performance.now() > endsAt) throw new Error(`no synchronous standby\n${this.output}`);
      await pause(100);
    }
  }

  get output(): string {
    return this.nodes.map(({ name, output }) => `--- ${name}\n${output}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node.kill();
    this.#etcd.kill("SIGKILL");
    await this.#etcd.status;
    // Killed processes may still be writing their last file.
    await eventually(() => Deno.removeSync(this.#directory, { recursive: true }));
  }
}

function startEtcd({ etcd }: PatroniPrograms, directory: string, port: number): Deno.ChildProcess {
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  const peers = url(freePort());
  const data = join(directory, "etcd");
  const [program, ...args] = [
    ...[...asUnprivileged(), etcd.path, `--data-dir=${data}`],
    ...[`--listen-client-urls=${url(port)}`, `--advertise-client-urls=${url(port)}`],
    ...[`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`],
    `--initial-cluster=default=${peers}`,
    // The machine may be busy.
    ...["--heartbeat-interval=500", "--election-timeout=5000", "--log-level=error"],
  ];
  return new Deno.Command(program!, {
    args,
    cwd: directory,
    env: { ...etcd.environment },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}
