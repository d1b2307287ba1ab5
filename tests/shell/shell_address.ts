import assert from "node:assert/strict";
import { run as runClient } from "../../cli/client.ts";
import { clientProgram } from "../../cli/client_program.ts";
import type { Address } from "../support/connection.ts";
import { eventually } from "../support/eventually.ts";
import { problemOf } from "../support/needing_test.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { canRunHere, runHere } from "../support/run_here.ts";
import { programCommand } from "../support/start_command.ts";

const SECONDS_MAX = 60;

export interface ShellOptions {
  /** Additional variables, besides the one that names the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** The content of standard input. Default: empty. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
}

/** The client program, with the address of a server. */
export class Shell {
  readonly #server: Readonly<Record<string, string>>;

  /** @param address undefined when no variable names a server */
  constructor(address?: Address) {
    this.#server = address === undefined
      ? {}
      : address.transport === "unix"
      ? { EVENTSTORE_SOCKET: address.path }
      : { EVENTSTORE_URL: `http://${address.hostname}:${address.port}` };
  }

  /** Runs the program to its end: in this process, unless it needs standard input. */
  async run(args: readonly string[], options: ShellOptions = {}): Promise<Ended> {
    if (options.stdin === undefined && canRunHere()) {
      const env = { ...this.environment, ...options.env };
      return await runHere(clientProgram, runClient, { args, env, cwd: options.cwd ?? Deno.cwd() });
    }
    const running = this.start(args, options);
    const writer = running.child.stdin.getWriter();
    const { stdin = "" } = options;
    await writer.write(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin).catch(() => {});
    await writer.close().catch(() => {});
    return await running.ended();
  }

  /** Runs the program, which must succeed without output on standard error. @returns its standard output */
  async prints(args: readonly string[], options: ShellOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    assert.deepEqual([code, stderr], [0, ""], `${args.join(" ")}: ${stdout}`);
    return stdout;
  }

  /** Runs the program, which must fail with this code and these words on standard error. */
  async fails(
    args: readonly string[],
    code: number,
    words: RegExp,
    options: ShellOptions = {},
  ): Promise<void> {
    const ended = await this.run(args, options);
    assert.equal(ended.code, code, ended.stdout + ended.stderr);
    assert.equal(ended.stdout, "");
    assert.match(ended.stderr, /^eventstore-client: [^\n]+\n$/, "one line");
    assert.match(ended.stderr, words);
  }

  /** The program with its arguments. */
  command(args: readonly string[]): [string, ...string[]] {
    return [...programCommand("client"), ...args];
  }

  /** The server as a flag. */
  get url(): string {
    return this.#server["EVENTSTORE_URL"] ?? assert.fail("this server has no URL");
  }

  get environment(): Record<string, string> {
    return { ...inherited(), ...this.#server };
  }

  start(args: readonly string[], { env, cwd }: ShellOptions = {}): Running {
    const [program, ...rest] = this.command(args);
    return new Running(
      new Deno.Command(program, {
        args: rest,
        env: { ...this.environment, ...env },
        clearEnv: true,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        ...(cwd === undefined ? {} : { cwd }),
      }).spawn(),
    );
  }

  /** Runs the program on a terminal of this width, which `script` provides. @returns the text on the terminal */
  async onTerminal(args: readonly string[], columns: number): Promise<string> {
    const words = this.command(args).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    const script = `stty cols ${columns}; ${words.join(" ")}`;
    const command = ["script", "--quiet", "--return", "--command", script, "/dev/null"];
    const { stdout } = await runCommand(command, { env: this.environment, clearEnv: true });
    return stdout.replaceAll("\r\n", "\n");
  }
}

/** A program that has been started. */
export class Running {
  readonly child: Deno.ChildProcess;
  stdout = "";
  stderr = "";
  readonly #reading: Promise<unknown>;

  constructor(child: Deno.ChildProcess) {
    this.child = child;
    this.#reading = Promise.all([
      collect(child.stdout, (text) => this.stdout += text),
      collect(child.stderr, (text) => this.stderr += text),
    ]);
  }

  /** Waits until it has printed so many lines. */
  async lines(count: number): Promise<void> {
    await eventually(() => assert.ok(this.stdout.split("\n").length > count, this.stdout + this.stderr), 30);
  }

  async ended(): Promise<Ended> {
    const timer = setTimeout(() => this.child.kill("SIGKILL"), SECONDS_MAX * 1000);
    const { code } = await this.child.status;
    clearTimeout(timer);
    await this.#reading;
    await this.child.stdin.close().catch(() => {});
    return { code, stdout: this.stdout, stderr: this.stderr };
  }
}

async function collect(stream: ReadableStream<Uint8Array>, keep: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) keep(decoder.decode(chunk, { stream: true }));
}

/** The caller's environment without the variables that name a server. */
function inherited(): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    !name.startsWith("EVENTSTORE_") || name === "EVENTSTORE_CACHE_DIR"
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}

/** True if `script` can provide a terminal on this machine. */
export const hasTerminal: boolean = problemOf("script") === undefined;
