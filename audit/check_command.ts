import { parseArgs } from "node:util";
import type { EditionName } from "../src/config/setting.ts";
import { type Check, CHECKS } from "./checks.ts";

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

/** A command line that makes no sense. Its message includes the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(text: string) {
    super(`${text}\n${USAGE}`);
  }
}

/** The command line of one check. */
export interface CheckCommand {
  readonly name: string;
  readonly check: Check;
  readonly list: boolean;
  readonly edition: EditionName;
  readonly seed: number;
  readonly rounds: number | undefined;
  readonly minutes: number | undefined;
  readonly directory: string | undefined;
  readonly record: string | undefined;
  readonly replay: string | undefined;
  readonly postgres: boolean;
}

/** @throws UsageError */
export function checkCommand(args: readonly string[]): CheckCommand {
  const { values, positionals: [name = ""] } = parse(args);
  const check = CHECKS.get(name);
  if (check === undefined) throw new UsageError(`there is no check "${name}"`);
  const { list, edition, directory, record, replay, postgres } = values;
  if (list && check.list === undefined) throw new UsageError(`${name} has no list`);
  if (edition !== "A" && edition !== "B" && edition !== "C") {
    throw new UsageError(`there is no edition ${edition}`);
  }
  if (postgres && check.onPostgres !== true) throw new UsageError(`${name} is about files`);
  const seed = number("seed", values.seed) ?? Math.floor(Math.random() * 1e9);
  const minutes = amount("minutes", values.minutes);
  const rounds = amount("rounds", values.rounds) ?? (minutes === undefined ? check.rounds.quick : undefined);
  return { name, check, list, edition, seed, rounds, minutes, directory, record, replay, postgres };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
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
    throw new UsageError((error as Error).message);
  }
}

function number(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d+(\.\d+)?$/.test(text)) {
    throw new UsageError(`--${name} must be a number, not ${text}`);
  }
  return text === undefined ? undefined : Number(text);
}

/** A check of nothing would always pass. */
function amount(name: string, text: string | undefined): number | undefined {
  const found = number(name, text);
  if (found === 0) throw new UsageError(`--${name} must be more than 0`);
  return found;
}
