import assert from "node:assert/strict";
import { join } from "node:path";
import type { Address } from "../support/connection.ts";
import { eventually } from "../support/eventually.ts";
import type { Block } from "./page_blocks.ts";
import { answersAgree, forMachine, runShell } from "./shell.ts";

/** Longer than a program needs to start, or to print an event, even on a busy machine. */
const SHOWN_SECONDS = 120;

/** A reader who follows a page block by block, with a running server. */
export class Reader implements AsyncDisposable {
  readonly #directory: string;
  readonly #address: Address;
  readonly #endless: readonly string[];
  /** The programs in other terminals, by file. */
  readonly #running = new Map<string, RunningProgram>();
  /** Shell variables that were set. */
  #assignments = "";
  /** The output of the last command, or the program that it has started. */
  #latest: string | RunningProgram = "";

  /** @param endless the files that run until they are stopped */
  constructor(directory: string, address: Address, endless: readonly string[]) {
    this.#directory = directory;
    this.#address = address;
    this.#endless = endless;
  }

  async does({ language, about, text }: Block): Promise<void> {
    const here = forMachine(text, this.#address);
    if (language === "ts") await this.#saves(here);
    else if (language === "sh") await this.#types(here);
    else if (language === "text") await this.#sees(text, about);
    else assert.fail(`a reader can do nothing with "${language}"`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#running.values()) await program[Symbol.asyncDispose]();
  }

  /** Saves a file, which is named in its first line. */
  async #saves(text: string): Promise<void> {
    const name = /^\/\/ (\w+\.ts): /.exec(text)?.[1];
    assert.ok(name, "the file has no name");
    await Deno.writeTextFile(join(this.#directory, name), text);
  }

  async #types(command: string): Promise<void> {
    const program = this.#endless.find((file) => command.endsWith(` ${file}\n`));
    if (program !== undefined) {
      this.#latest = new RunningProgram(command, this.#directory);
      this.#running.set(program, this.#latest);
      return;
    }
    this.#latest = await runShell(this.#assignments + command, this.#directory);
    if (/^\w+=/.test(command)) this.#assignments += command;
  }

  /** Compares an output with the page: that of the last command, or of the named program. */
  async #sees(text: string, program: string): Promise<void> {
    const shown = program === "" ? this.#latest : this.#running.get(program);
    if (!(shown instanceof RunningProgram)) return answersAgree(shown ?? "", text);
    await eventually(() => {
      assert.equal(shown.complaints, "");
      answersAgree(shown.printed, text);
    }, SHOWN_SECONDS);
  }
}

/** A program in a terminal of its own. Disposing of it kills the program and every process that it has started. */
class RunningProgram implements AsyncDisposable {
  /** Standard output so far. */
  printed = "";
  /** Standard error so far. */
  complaints = "";
  readonly #child: Deno.ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(command: string, cwd: string) {
    this.#child = new Deno.Command("bash", {
      args: ["-c", command],
      cwd,
      env: { NO_COLOR: "1" },
      // A process group of its own, which can be killed as a whole.
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#ended = Promise.all([
      this.#child.status,
      this.#collect(this.#child.stdout, (text) => this.printed += text),
      this.#collect(this.#child.stderr, (text) => this.complaints += text),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      Deno.kill(-this.#child.pid, "SIGKILL");
    } catch (error) {
      // It may have ended by itself.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await this.#ended;
  }

  async #collect(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    keep: (text: string) => void,
  ): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) keep(text);
  }
}
