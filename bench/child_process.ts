import { fileURLToPath } from "node:url";
import { programTask } from "../tools/build/program_task.ts";
import type { Address } from "./connection.ts";

/** The line that the children print once they accept connections. */
const LISTENING = "listening on ";
const START_SECONDS_MAX = 20;

/** The V8 flags of the released server. */
const V8_FLAGS = programTask("server").flags.filter((flag) => flag.startsWith("--v8-flags="));

/** A server in a process of its own, so that it shares no thread with the clients. */
export class ChildProcess implements AsyncDisposable {
  readonly address: Address;
  readonly #child: Deno.ChildProcess;

  /**
   * Starts a module of this repository.
   * @param directory its working directory and, with `unix`, the place of its socket
   * @param settings its settings, except for its address and its data directory
   */
  constructor(
    module: URL,
    directory: string,
    unix: boolean,
    dataDir: string,
    settings: Readonly<Record<string, string>>,
  ) {
    this.address = unix
      ? { transport: "unix", path: `${directory}/server.sock` }
      : { transport: "tcp", hostname: "127.0.0.1", port: freePort() };
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", ...V8_FLAGS, "--allow-all", fileURLToPath(module)],
      cwd: directory,
      env: { ...environment(), ...settings, ...listenVariables(this.address), SERVICE_DATA_DIR: dataDir },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
    }).spawn();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Waits until the child accepts connections. */
  async listening(): Promise<void> {
    const started = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#kill("SIGKILL"), START_SECONDS_MAX * 1000);
    this.#readOutput(started.resolve).finally(() => started.reject(new Error("a server did not start")));
    await started.promise.finally(() => clearTimeout(timer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill("SIGTERM");
    await this.#child.status;
  }

  #kill(signal: Deno.Signal): void {
    try {
      this.#child.kill(signal);
    } catch {
      // The process has ended by itself.
    }
  }

  /** Reads to the end, because a child stalls when its output is not read. */
  async #readOutput(onListening: () => void): Promise<void> {
    let text = "";
    for await (const piece of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes(LISTENING)) onListening();
    }
  }
}

/** Removes settings that the caller's own environment has. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_")),
  );
}

function listenVariables(address: Address): Record<string, string> {
  return address.transport === "unix"
    ? { SERVICE_SOCKET_PATH: address.path }
    : { SERVICE_PORT: String(address.port) };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
