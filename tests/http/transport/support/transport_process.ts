import { fileURLToPath } from "node:url";
import type { Address } from "../../../support/connection.ts";
import { freeAddress } from "./listening.ts";

/** The two transports, which implement the same interface. */
export const TRANSPORTS = ["ours", "deno"] as const;
export type TransportName = typeof TRANSPORTS[number];

export interface TransportOptions {
  /** The maximum of open files and sockets of the process. */
  readonly descriptorsMax?: number;
  /** The cap on connections, which only `ours` has. */
  readonly connectionsMax?: number;
}

/** A process that runs only one of the transports. */
export class TransportProcess implements AsyncDisposable {
  readonly address: Address;
  readonly #child: Deno.ChildProcess;

  private constructor(address: Address, child: Deno.ChildProcess) {
    this.address = address;
    this.#child = child;
  }

  static async start(name: TransportName, options: TransportOptions = {}): Promise<TransportProcess> {
    using place = freeAddress("tcp");
    const { port } = place.address as Deno.NetAddr;
    const entry = fileURLToPath(new URL("./transport_entry.ts", import.meta.url));
    const run = [Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all", entry];
    const limit = options.descriptorsMax === undefined ? "" : `ulimit -n ${options.descriptorsMax};`;
    const child = new Deno.Command("sh", {
      args: [
        "-c",
        `${limit} exec "$@"`,
        "sh",
        ...run,
        name,
        String(port),
        String(options.connectionsMax ?? 5000),
      ],
      stdin: "null",
      stdout: "piped",
      stderr: name === "ours" ? "inherit" : "null",
    }).spawn();
    const output = child.stdout.getReader();
    const first = await output.read();
    output.releaseLock();
    if (first.done) throw new Error(`the transport ${name} did not start`);
    return new TransportProcess(place.address, child);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The number of open sockets of the process, including those that it listens on. */
  get sockets(): number {
    return openSockets(this.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // The process has ended by itself.
    }
    await this.#child.stdout.cancel();
    await this.#child.status;
  }
}

/** Descriptors that a process has open. */
export function openDescriptors(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** Sockets that a process has open. */
export function openSockets(pid: number): number {
  let sockets = 0;
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    if (linkOf(`/proc/${pid}/fd/${name}`).startsWith("socket:")) sockets++;
  }
  return sockets;
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return "";
  }
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]) / 1024;
}
