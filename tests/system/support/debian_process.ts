import type { DebianProgram } from "./debian_program.ts";
import { pause } from "../../support/eventually.ts";

const START_TIMEOUT_SECONDS = 20;
const STOP_TIMEOUT_SECONDS = 10;

export interface ProcessOptions {
  readonly args: readonly string[];
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program is ready when something accepts connections on each of these ports. */
  readonly ports: readonly number[];
}

/** A program of Debian that serves a port, until it is disposed of. */
export class DebianProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<unknown>;
  #over = false;
  /** Everything it printed. */
  output = "";

  private constructor(program: DebianProgram, options: ProcessOptions) {
    this.#child = new Deno.Command(program.path, {
      args: [...options.args],
      cwd: options.directory,
      env: { ...program.environment, ...options.env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#reading = Promise.all([this.#collect(this.#child.stdout), this.#collect(this.#child.stderr)]);
    this.#child.status.then(() => this.#over = true);
  }

  static async start(program: DebianProgram, options: ProcessOptions): Promise<DebianProcess> {
    const process = new DebianProcess(program, options);
    const endsAt = performance.now() + START_TIMEOUT_SECONDS * 1000;
    for (const port of options.ports) {
      while (!await answers(port)) {
        if (process.#over || performance.now() > endsAt) {
          await process[Symbol.asyncDispose]();
          throw new Error(`${program.path} does not answer on port ${port}\n${process.output}`);
        }
        await pause(20);
      }
    }
    return process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#over) this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#over || this.#child.kill("SIGKILL"), STOP_TIMEOUT_SECONDS * 1000);
    await this.#child.status;
    clearTimeout(timer);
    await this.#reading;
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.output += text;
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}
