import { parseArgs } from "node:util";
import { UndocumentedAnswer } from "../tests/support/openapi/answer_check.ts";
import { CHECKS } from "./checks.ts";
import { AuditFailure, Extent } from "./report.ts";
import { usePostgres } from "./server/postgres.ts";

/*
 * One check of the audit, in a process of its own:
 *   deno task audit:check CHECK [--edition A] [--seed n] [--rounds n] [--minutes n] [--directory path] [--record path]
 *     [--postgres] [--replay text] [--list]
 * It prints one line of JSON with its figures. It reports a failure in words, with the command that repeats it.
 */

const USAGE = `deno task audit:check CHECK [flags], where CHECK is one of: ${[...CHECKS.keys()].join(", ")}
  --edition X       A, B or C (A)
  --seed n          of all random choices (another one each time)
  --rounds n        how many rounds; audit/README.md says what a round of each check is
  --minutes n       as many rounds as fit into so many minutes
  --postgres        on PostgreSQL instead of a file (models, queries)
  --replay text     only the run that a failure has named (models)
  --list            list the planted bugs, and what must notice each (bugs)
  --directory path  where the stores lie (the system's directory for temporary files)
  --record path     a directory for what endurance measures; deno task audit:plots draws it
`;

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

function usageError(text: string): never {
  print(`${text}\n${USAGE}`);
  Deno.exit(2);
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        edition: { type: "string", default: "A" },
        seed: { type: "string" },
        rounds: { type: "string" },
        minutes: { type: "string" },
        directory: { type: "string" },
        record: { type: "string" },
        replay: { type: "string" },
        postgres: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return usageError((error as Error).message);
  }
}

function number(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d+(\.\d+)?$/.test(text)) {
    usageError(`--${name} must be a number, not ${text}`);
  }
  return text === undefined ? undefined : Number(text);
}

/** A check of nothing would always pass. */
function amount(name: string, text: string | undefined): number | undefined {
  const found = number(name, text);
  if (found === 0) usageError(`--${name} must be more than 0`);
  return found;
}

const { values, positionals: [name = ""] } = parse();
const check = CHECKS.get(name) ?? usageError(`there is no check "${name}"`);
if (values.list) {
  print(check.list?.() ?? usageError(`${name} has no list`));
  Deno.exit(0);
}
const { edition, record, replay } = values;
if (edition !== "A" && edition !== "B" && edition !== "C") usageError(`there is no edition ${edition}`);
const seed = number("seed", values.seed) ?? Math.floor(Math.random() * 1e9);
const minutes = amount("minutes", values.minutes);
const rounds = amount("rounds", values.rounds) ?? (minutes === undefined ? check.rounds.quick : undefined);
const parent = values.directory === undefined ? {} : { dir: values.directory };
if (values.postgres && check.onPostgres !== true) usageError(`${name} is about files`);
const directory = Deno.makeTempDirSync({ ...parent, prefix: "eventstore_audit_" });
const postgres = values.postgres ? await usePostgres() : undefined;
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
  const storage = values.postgres ? " --postgres" : "";
  const isFinding = error instanceof AuditFailure || error instanceof UndocumentedAnswer;
  const what = isFinding ? error.message : Deno.inspect(error);
  print(`FAILED ${name}, edition ${edition}, seed ${seed}\n${what}\n`);
  print(`repeat it: deno task audit:check ${name} --edition ${edition} --seed ${seed} ${extent}${storage}\n`);
  print(`its files: ${directory}\n`);
  exitCode = isFinding ? 1 : 3;
}
await postgres?.[Symbol.asyncDispose]();
Deno.exit(exitCode);
