import assert from "node:assert/strict";
import { join } from "node:path";
import type { Address } from "../support/connection.ts";
import { eventually } from "../support/eventually.ts";
import type { Block } from "./page_blocks.ts";
import { RunningProgram } from "./running_program.ts";
import { answersAgree, forMachine, runShell } from "./shell.ts";

/** Longer than a program takes to start, or an event to arrive, however busy the machine is. */
const SHOWN_SECONDS = 120;

/** Somebody who does what a page says, block by block, with a server that runs. */
export class Reader implements AsyncDisposable {
  readonly #directory: string;
  readonly #address: Address;
  readonly #endless: readonly string[];
  /** In other terminals, by file. */
  readonly #running = new Map<string, RunningProgram>();
  /** Shell variables that were set. */
  #assignments = "";
  /** What the last command printed, or the program that it has started. */
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

  /** The first line says what a file is called. */
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

  /** An answer is that of the command before it, or says which program shows it. */
  async #sees(text: string, program: string): Promise<void> {
    const shown = program === "" ? this.#latest : this.#running.get(program);
    if (!(shown instanceof RunningProgram)) return answersAgree(shown ?? "", text);
    await eventually(() => {
      assert.equal(shown.complaints, "");
      answersAgree(shown.printed, text);
    }, SHOWN_SECONDS);
  }
}
