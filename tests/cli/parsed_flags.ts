import assert from "node:assert/strict";
import { parseFlags } from "../../cli/flags.ts";
import type { CommandLine, Program } from "../../cli/program.ts";

const common = { config: undefined, checkConfig: false, defaultConfig: false, version: false, help: false };
/** The rest of a command line without a verb. */
export const noVerb = { verb: undefined, arguments: [], groups: [] };

/** The options of a restore without flags. */
export const restoreOptions = {
  config: undefined,
  to: undefined,
  until: undefined,
  dryRun: false,
  force: false,
  keys: undefined,
  withoutKeys: false,
  forgotten: [],
  help: false,
};

/** The options of each program without flags. */
export const serverOptions = { ...common, printConfig: false };
export const initOptions = {
  ...common,
  dataDir: undefined,
  import: undefined,
  keepStoreId: false,
  importPlain: undefined,
  keys: undefined,
  withoutKeys: false,
  forgotten: [],
  addViews: false,
  addSubjects: false,
};
export const backupOptions = { ...common, quiet: false, json: false, metricsFile: undefined };

/** The command line of arguments that are valid. */
export function parsed<P extends Program>(program: P, ...args: string[]): CommandLine<P> {
  const parsed = parseFlags(program, args);
  assert.ok("line" in parsed, "the arguments were rejected");
  return parsed.line;
}

/** The problems of arguments that are rejected. */
export function problems(program: Program, ...args: string[]): string[] {
  const parsed = parseFlags(program, args);
  assert.ok("problems" in parsed, "the arguments were accepted");
  return parsed.problems;
}

/** A path as the options contain it: absolute. */
export function here(name: string): string {
  return `${Deno.cwd()}/${name}`;
}
