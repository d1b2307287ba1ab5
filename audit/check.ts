import { UndocumentedAnswer } from "../tests/support/openapi/answer_check.ts";
import { type CheckCommand, checkCommand, UsageError } from "./check_command.ts";
import { AuditFailure, Extent } from "./report.ts";
import { usePostgres } from "./server/postgres.ts";

/*
 * One check of the audit, in a process of its own:
 *   deno task audit:check CHECK [--edition A] [--seed n] [--rounds n] [--minutes n] [--directory path] [--record path]
 *     [--postgres] [--replay text] [--list]
 * It prints one line of JSON with its figures. It reports a failure in words, with the command that repeats it.
 */

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

function readCommand(): CheckCommand {
  try {
    return checkCommand(Deno.args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(error.message);
    Deno.exit(2);
  }
}

const { name, check, list, edition, seed, rounds, minutes, record, replay, ...command } = readCommand();
if (list) {
  print(check.list!());
  Deno.exit(0);
}
const parent = command.directory === undefined ? {} : { dir: command.directory };
const directory = Deno.makeTempDirSync({ ...parent, prefix: "eventstore_audit_" });
const postgres = command.postgres ? await usePostgres() : undefined;
let exitCode = 0;
const started = performance.now();
try {
  if (record !== undefined) Deno.mkdirSync(record, { recursive: true });
  const extent = new Extent({ rounds, minutes });
  const figures = await check.run({ edition, seed, extent, directory, record, replay });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  Deno.removeSync(directory, { recursive: true });
  print(`${JSON.stringify({ check: name, edition, seed, seconds, figures })}\n`);
} catch (error) {
  const extent = [rounds && `--rounds ${rounds}`, minutes && `--minutes ${minutes}`].filter(Boolean).join(
    " ",
  );
  const storage = command.postgres ? " --postgres" : "";
  const isFinding = error instanceof AuditFailure || error instanceof UndocumentedAnswer;
  const what = isFinding ? error.message : Deno.inspect(error);
  print(`FAILED ${name}, edition ${edition}, seed ${seed}\n${what}\n`);
  print(`repeat it: deno task audit:check ${name} --edition ${edition} --seed ${seed} ${extent}${storage}\n`);
  print(`its files: ${directory}\n`);
  exitCode = isFinding ? 1 : 3;
}
await postgres?.[Symbol.asyncDispose]();
Deno.exit(exitCode);
