import { parseArgs } from "node:util";
import { EDITION_NAMES } from "../src/config/setting.ts";
import { type Check, CHECKS } from "./checks.ts";
import type { EditionName } from "../src/config/setting.ts";
import { runDeno } from "../tests/support/run_command.ts";

/*
 * The whole audit: every check for each of its editions, several at the same time, each in a process of its own
 * (audit/check.ts). The exit code is 1 when a check has failed.
 *
 *   deno task audit:quick [flags]    deno task audit:full [flags]
 *     --jobs n          checks at the same time (3)
 *     --seed n          the seed of all random choices (default: a new one each time)
 *     --only a,b        only these checks
 *     --minutes n       limits each check of an edition by minutes instead of rounds
 *     --rounds n        the number of rounds, instead of the usual one
 *     --directory path  the directory of the stores
 *     --record path     a directory for the measurements of endurance
 */

const [size, ...rest] = Deno.args;
if (size !== "quick" && size !== "full") throw new TypeError("the first argument is quick or full");
const { values } = parseArgs({
  args: rest,
  options: {
    jobs: { type: "string", default: "3" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    only: { type: "string", default: [...CHECKS.keys()].join(",") },
    minutes: { type: "string" },
    rounds: { type: "string" },
    directory: { type: "string" },
    record: { type: "string" },
  },
});

const jobsAtOnce = Number(values.jobs);
if (!Number.isInteger(jobsAtOnce) || jobsAtOnce < 1) {
  throw new TypeError(`--jobs must be 1 or more, not ${values.jobs}`);
}

/** The arguments of audit/check.ts. */
type Job = readonly string[];

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

/**
 * All checks of an edition come before those of the next. So checks that mostly wait run in parallel with others that
 * work.
 */
function jobsOf(names: readonly string[]): Job[] {
  const checks = names.map((name) => [name, CHECKS.get(name)] as const);
  return EDITION_NAMES.flatMap((edition) =>
    checks.flatMap(([name, check]) => {
      if (check === undefined) throw new TypeError(`there is no check "${name}"`);
      return check.editions.includes(edition) ? [jobOf(name, check, edition)] : [];
    })
  );
}

function jobOf(name: string, check: Check, edition: EditionName): Job {
  const extent = values.minutes === undefined
    ? ["--rounds", values.rounds ?? String(check.rounds[size as "quick" | "full"])]
    : ["--minutes", values.minutes];
  const places = [
    ...values.directory === undefined ? [] : ["--directory", values.directory],
    ...values.record === undefined ? [] : ["--record", values.record],
  ];
  return [name, "--edition", edition, "--seed", values.seed, ...extent, ...places];
}

/** @returns true when the check has passed */
async function run(job: Job): Promise<boolean> {
  const entry = new URL("check.ts", import.meta.url).href;
  const command = ["run", "--quiet", "--no-prompt", "--allow-all", entry, ...job];
  const { code, stdout, stderr } = await runDeno(command);
  print(code === 0 ? stdout : stdout + stderr);
  return code === 0;
}

print(`audit:${size}, seed ${values.seed}\n`);
const started = performance.now();
const jobs = jobsOf(values.only.split(","));
const waiting = [...jobs];
let passed = 0;
await Promise.all(Array.from({ length: jobsAtOnce }, async () => {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) if (await run(job)) passed++;
}));
const failed = jobs.length - passed;
const seconds = Math.round((performance.now() - started) / 1000);
print(
  `${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed (${seconds}s)\n`,
);
Deno.exit(failed === 0 ? 0 : 1);
