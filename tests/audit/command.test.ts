import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { listOf } from "../../audit/bugs/list.ts";
import { checkCommand, UsageError } from "../../audit/check_command.ts";
import { AuditFailure, demand, Extent, limit } from "../../audit/report.ts";
import { type Ended, runDeno } from "../support/run_command.ts";

const CHECK = fileURLToPath(new URL("../../audit/check.ts", import.meta.url));

function run(...args: readonly string[]): Promise<Ended> {
  return runDeno(["run", "--quiet", "--no-check", "--allow-all", CHECK, ...args]);
}

Deno.test("an unknown check, or a flag that makes no sense, ends with 2 and prints the usage", async () => {
  for (
    const line of [
      ...["nothing", "kills --edition D", "damage --rounds few", "damage --rounds 0", "damage --minutes 0"],
      ...["damage --often", "damage --list", "damage --postgres"],
    ]
  ) assert.throws(() => checkCommand(line.split(" ")), UsageError, line);
  assert.throws(() => checkCommand([]), UsageError);
  const { code, stdout: text } = await run("damage", "--rounds", "0");
  assert.equal(code, 2);
  assert.match(text, /^--rounds must be more than 0\ndeno task audit:check CHECK/);
});

Deno.test("bugs --list prints every planted bug and runs none", async () => {
  const { code, stdout: text } = await run("bugs", "--list");
  assert.equal(code, 0, text);
  assert.equal(text, listOf(BUGS));
});

Deno.test("a check that passes prints its figures in one line of JSON", async () => {
  const { code, stdout: text } = await run("damage", "--rounds", "3", "--seed", "5");
  assert.equal(code, 0, text);
  const { seconds, figures, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, { check: "damage", edition: "A", seed: 5 });
  assert.ok(seconds > 0);
  assert.equal(figures.rounds, 3);
});

Deno.test("a long run in which too little happened has failed, and a short one is excused", () => {
  demand("kills", 20, { acknowledged: [5, 5] });
  demand("kills", 19, { acknowledged: [0, 5] });
  assert.throws(() => demand("kills", 20, { rejected: [1, 1], acknowledged: [4, 5] }), (error) => {
    assert.ok(error instanceof AuditFailure);
    assert.match(error.message, /too little was tried:\n {2}- acknowledged: 4, and it must be at least 5$/);
    return true;
  });
  assert.throws(() => demand("kills", 20, { share: [NaN, 1] }), AuditFailure);
});

Deno.test("a long run that was too slow has failed, and a short one is excused", () => {
  limit("failover", 20, { milliseconds: [3000, 3000] });
  limit("failover", 19, { milliseconds: [9000, 3000] });
  assert.throws(() => limit("failover", 20, { milliseconds: [3001, 3000] }), (error) => {
    assert.ok(error instanceof AuditFailure);
    assert.match(error.message, /beyond its limits:\n {2}- milliseconds: 3001, and it must be at most 3000$/);
    return true;
  });
  assert.throws(() => limit("failover", 20, { milliseconds: [NaN, 1] }), AuditFailure);
});

Deno.test("a check ends after so many rounds, or when its time is over", () => {
  const rounds = new Extent({ rounds: 3 });
  assert.deepEqual([rounds.isOver(2), rounds.isOver(3), rounds.left(1)], [false, true, 2]);
  assert.equal(new Extent({ minutes: 0 }).isOver(0), true);
  assert.equal(new Extent({ minutes: 60 }).isOver(1e9), false);
  assert.throws(() => new Extent({}), /neither rounds nor minutes/);
});
