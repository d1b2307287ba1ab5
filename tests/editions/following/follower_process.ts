import { fileURLToPath } from "node:url";
import type { Address } from "../../support/connection.ts";
import type { Step } from "./follower.ts";

const PROGRAM = fileURLToPath(new URL("./follower.ts", import.meta.url));

/** The query of a follower and its waiting time. */
export interface Followed {
  readonly query: unknown;
  readonly waitSeconds: number;
}

/** A follower in its own process, which may be killed and started again, with the file that it writes. */
export class FollowerProcess implements AsyncDisposable {
  /** The lines of the file at the last call of `look`. */
  readonly steps: Step[] = [];
  readonly #args: readonly string[];
  readonly #path: string;
  #child: Deno.ChildProcess | undefined;
  #bytesRead = 0;

  /** @param path of the file, which is created empty */
  constructor(address: Address, path: string, { query, waitSeconds }: Followed) {
    const where = address.transport === "unix" ? address.path : `http://${address.hostname}:${address.port}`;
    this.#args = [where, path, JSON.stringify(query), String(waitSeconds)];
    this.#path = path;
    Deno.writeTextFileSync(path, "");
  }

  start(): void {
    const flags = ["--quiet", "--no-prompt", "--no-check", "--allow-net", "--allow-read", "--allow-write"];
    const args = ["run", ...flags, PROGRAM, ...this.#args];
    this.#child = new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null" }).spawn();
  }

  /** Kills the process (SIGKILL). @throws Error when it has ended by itself; its standard error has the reason */
  async kill(): Promise<void> {
    const child = this.#child!;
    this.#child = undefined;
    try {
      child.kill("SIGKILL");
    } catch {
      // The process has ended.
    }
    const { code, signal } = await child.status;
    if (signal !== "SIGKILL") throw new Error(`the follower ended by itself, with ${code}`);
  }

  /** Reads new lines of the file. It skips an incomplete line: the follower may complete or remove it. */
  look(): readonly Step[] {
    using file = Deno.openSync(this.#path);
    file.seekSync(this.#bytesRead, Deno.SeekMode.Start);
    const added = new Uint8Array(Math.max(0, file.statSync().size - this.#bytesRead));
    const bytes = added.subarray(0, file.readSync(added) ?? 0);
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    this.#bytesRead += whole.length;
    const lines = new TextDecoder().decode(whole).split("\n").slice(0, -1);
    for (const line of lines) this.steps.push(JSON.parse(line) as Step);
    return this.steps;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child !== undefined) await this.kill();
  }
}
