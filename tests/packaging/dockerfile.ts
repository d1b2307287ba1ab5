import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY as REPOSITORY_URL } from "../../tools/build/program_task.ts";
import { runDeno } from "../support/run_command.ts";

export const REPOSITORY: string = fileURLToPath(REPOSITORY_URL);

/** An instruction of a Dockerfile, on one line. */
export interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** The instructions of the last stage, which make the image. */
export function lastStage(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("#")).join("\n").replaceAll("\\\n", " ")
    .split("\n");
  const instructions = lines.filter((line) => line.trim() !== "").map((line): Instruction => {
    const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim())!;
    return { keyword: keyword!, rest: rest! };
  });
  return instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === "FROM"));
}

export function all(stage: readonly Instruction[], keyword: string): string[] {
  return stage.filter((instruction) => instruction.keyword === keyword).map(({ rest }) => rest);
}

export function one(stage: readonly Instruction[], keyword: string): string {
  const found = all(stage, keyword);
  if (found.length !== 1) throw new Error(`the image has ${keyword} ${found.length} times`);
  return found[0]!;
}

/** The variables of ENV. */
export function environmentOf(stage: readonly Instruction[]): Record<string, string> {
  const pairs = all(stage, "ENV").flatMap((rest) => rest.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => [pair.split("=")[0]!, pair.slice(pair.indexOf("=") + 1)]));
}

/** A command in its JSON form, which needs no shell. */
export function commandOf(rest: string): string[] {
  return JSON.parse(rest.slice(rest.indexOf("["))) as string[];
}

export const DOCKERFILE: string = join(REPOSITORY, "deploy/container/Dockerfile");

export const image: readonly Instruction[] = lastStage(Deno.readTextFileSync(DOCKERFILE));
export const variables: Readonly<Record<string, string>> = environmentOf(image);

/** The files for the build, from .dockerignore: it excludes everything, then includes some files again. */
export function buildContext(): string[] {
  const [first, ...rest] = Deno.readTextFileSync(join(REPOSITORY, ".dockerignore")).trim().split("\n");
  assert.equal(first, "*");
  return rest.map((line) => {
    assert.match(line, /^!/);
    return line.slice(1);
  });
}

/** Runs a command of the runtime. @returns its standard output */
export async function denoOutput(args: readonly string[], cwd = REPOSITORY): Promise<string> {
  const { code, stdout, stderr } = await runDeno(args, { cwd });
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}
