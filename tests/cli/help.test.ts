import assert from "node:assert/strict";
import { clientProgram } from "../../cli/client_program.ts";
import { parseFlags } from "../../cli/flags.ts";
import { helpText } from "../../cli/help.ts";
import type { Program, Verb } from "../../cli/program.ts";
import { backupProgram, programs, serverProgram } from "../../cli/programs.ts";
import { settingsOf } from "../../src/config/settings.ts";

const verbs: readonly Verb[] = backupProgram.verbs;

Deno.test("with what is wrong comes the command that prints the help", () => {
  const help = (program: Program, ...args: string[]): string | undefined => {
    const parsed = parseFlags(program, args);
    return "help" in parsed ? parsed.help : undefined;
  };
  assert.equal(help(serverProgram, "--x"), "eventstore-server --help");
  assert.equal(help(backupProgram, "x"), "eventstore-backup --help");
  assert.equal(help(backupProgram, "restore", "--x"), "eventstore-backup restore --help");
});

Deno.test("the help names every verb, and that of a verb its argument, flags and settings", () => {
  const text = helpText(backupProgram);
  for (const { name, arguments: known, summary, flags, keys } of verbs) {
    assert.match(text, new RegExp(`^ {2}${name} +${summary.replaceAll(".", "\\.")}$`, "m"));
    const ofVerb = helpText(backupProgram, name);
    const usage = known === undefined ? "[flags]" : `[${known[0]!.name}] [flags]`;
    assert.ok(ofVerb.includes(`Usage: eventstore-backup ${name} ${usage}\n`), ofVerb);
    for (const { name: flag, help } of flags) {
      assert.match(ofVerb, new RegExp(`^ {2}--${flag} .*`, "m"), help);
    }
    for (const [key] of settingsOf("backup")) {
      assert.equal(ofVerb.includes(`\n  ${key}\n`), keys === undefined || keys.includes(key), key);
    }
  }
});

Deno.test("the help shows the usage, every flag, and the settings with their variables", () => {
  for (const program of programs) {
    const text = helpText(program);
    const usage = program.needsVerb ? "<verb> [flags]" : "[flags]";
    assert.ok(text.includes(`Usage: ${program.name} ${usage}\n`));
    for (const { name, help } of program.flags) {
      assert.ok(
        text.split("\n").some((line) => line.startsWith(`  --${name} `) && line.endsWith(`  ${help}`)),
        name,
      );
    }
    for (const [key, { variable }] of program.section === undefined ? [] : settingsOf(program.section)) {
      const isShown = program.keys === undefined || program.keys.includes(key);
      assert.equal(text.includes(`\n  ${key}\n`) && text.includes(`      ${variable}`), isShown, key);
    }
  }
});

Deno.test("the help shows a group behind its flag, and variables and exit codes instead of settings", () => {
  const text = helpText(clientProgram, "append");
  const append: Verb = clientProgram.verbs.find(({ name }) => name === "append")!;
  const { begin, flags } = append.group!;
  const [before, behind] = text.split(`\nFlags behind --${begin.name};`) as [string, string];
  assert.match(before, new RegExp(`^ {2}--${begin.name} .*\n$`, "m"));
  for (const { name } of flags) assert.match(behind, new RegExp(`^ {2}--${name} `, "m"));
  for (const [name, meaning] of [...clientProgram.variables, ...clientProgram.exitCodes]) {
    assert.match(text, new RegExp(`^ {2}${name} +${RegExp.escape(meaning)}$`, "m"));
  }
  assert.doesNotMatch(text, /\[server\]/);
});
