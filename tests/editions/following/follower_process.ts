import { fileURLToPath } from "node:url";
import type { Address } from "../../support/connection.ts";
import type { Step } from "./follower.ts";

const PROGRAM = fileURLToPath(new URL("./follower.ts", import.meta.url));

/** What a follower follows. */
export interface Followed {
  readonly query: unknown;
  readonly waitSeconds: number;
}

/** A follower as a process of its own, which may be killed and started again, and the file that it writes. */
export class FollowerProcess implements AsyncDisposable {
  /** What its file holds, as of the last look. */
  readonly steps: Step[] = [];
  readonly #args: readonly string[];
  readonly #path: string;
  #child: Deno.ChildProcess | undefined;
  #bytesRead = 0;

  /** @param path where its file is made, which holds nothing at first */
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

  /** Ends it at once (SIGKILL). @throws Error when it has ended by itself, for which it said why */
  async kill(): Promise<void> {
    const child = this.#child!;
    this.#child = undefined;
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    const { code, signal } = await child.status;
    if (signal !== "SIGKILL") throw new Error(`the follower ended by itself, with ${code}`);
  }

  /** Reads what has been added to the file. A line that is not complete is left for later: it may still go. */
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
