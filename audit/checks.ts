import { BUGS } from "./bugs/bugs.ts";
import { listOf } from "./bugs/list.ts";
import { plantedBugs } from "./bugs/planted_bugs.ts";
import { chainRounds } from "./chain/chain_rounds.ts";
import { clockJumps } from "./clock/clock_jumps.ts";
import { damage } from "./damage/damage.ts";
import { damagedStore } from "./damage/damaged_store.ts";
import { endurance } from "./endurance/endurance.ts";
import { diskRounds } from "./disks/disk_rounds.ts";
import { forgetRounds } from "./forgets/forget_rounds.ts";
import { postgresForgets } from "./forgets/postgres_forgets.ts";
import { failingCalls } from "./faults/failing_calls.ts";
import { killRounds } from "./kills/kill_rounds.ts";
import { linearizabilityRounds } from "./linearizability/rounds.ts";
import { modelRuns } from "./models/model_runs.ts";
import { orderRounds } from "./order/order_rounds.ts";
import { postgresFailover } from "./postgres/failover_rounds.ts";
import { postgresKills } from "./postgres/kill_rounds.ts";
import { powerCuts } from "./power/power_cuts.ts";
import { queryRounds } from "./queries/query_rounds.ts";
import { races } from "./races/races.ts";
import { starts } from "./starts/starts.ts";
import { toolFailures } from "./tools/tool_failures.ts";
import type { CheckContext, Figures } from "./report.ts";
import type { EditionName } from "../src/config/setting.ts";

export interface Check {
  readonly run: (context: CheckContext) => Promise<Figures>;
  readonly editions: readonly EditionName[];
  /** The number of rounds of each edition. */
  readonly rounds: { readonly quick: number; readonly full: number };
  /** True when it can also run on PostgreSQL. */
  readonly onPostgres?: true;
  /** The items that it tries, one a line, for `--list`. */
  readonly list?: () => string;
}

export const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  // A round is one disruption of a store on PostgreSQL. All disruptions occur in rotation.
  ["postgres_kills", { run: postgresKills, editions: ["A", "B", "C"], rounds: { quick: 10, full: 1000 } }],
  // A round is one primary that is killed.
  ["postgres_failover", { run: postgresFailover, editions: ["A", "B", "C"], rounds: { quick: 1, full: 20 } }],
  // A round is one failover.
  ["chain", { run: chainRounds, editions: ["A", "B", "C"], rounds: { quick: 4, full: 80 } }],
  ["kills", { run: killRounds, editions: ["A", "B", "C"], rounds: { quick: 40, full: 1000 } }],
  // A round is one kill, at one of seven steps in rotation.
  ["forgets", { run: forgetRounds, editions: ["A", "B", "C"], rounds: { quick: 7, full: 700 } }],
  // A round is one disruption of a store on PostgreSQL.
  ["postgres_forgets", {
    run: postgresForgets,
    editions: ["A", "B", "C"],
    rounds: { quick: 5, full: 300 },
  }],
  // A round is one state of a disk.
  ["power", { run: powerCuts, editions: ["A", "B", "C"], rounds: { quick: 3334, full: 200_000 } }],
  // A round is one history of twelve clients.
  ["order", { run: orderRounds, editions: ["A", "B", "C"], rounds: { quick: 60, full: 600 } }],
  // A round is one such history, which Porcupine checks too.
  ["linearizability", {
    run: linearizabilityRounds,
    editions: ["A", "B", "C"],
    rounds: { quick: 20, full: 600 },
  }],
  // A round is one command.
  ["models", {
    run: modelRuns,
    editions: ["A", "B", "C"],
    rounds: { quick: 3000, full: 200_000 },
    onPostgres: true,
  }],
  // A round is one query. Each adds ten events to the store.
  ["queries", {
    run: queryRounds,
    editions: ["A", "B", "C"],
    rounds: { quick: 1700, full: 100_000 },
    onPostgres: true,
  }],
  // A round is one call that fails. The full run continues until every combination was tried.
  ["faults", { run: failingCalls, editions: ["A", "B", "C"], rounds: { quick: 6, full: 100_000 } }],
  // A round is one run of a tool in which a call fails. The tools are the same for every edition.
  ["tools", { run: toolFailures, editions: ["A"], rounds: { quick: 16, full: 100_000 } }],
  // A round is one disk that becomes full several times, or that no longer accepts writes.
  ["disks", { run: diskRounds, editions: ["A", "B", "C"], rounds: { quick: 4, full: 200 } }],
  // A round is one directory with something wrong in it. The file is the same for every edition.
  ["starts", { run: starts, editions: ["A"], rounds: { quick: 8, full: 600 } }],
  // A round is one race of eight servers. The lock is the same for every edition.
  ["races", { run: races, editions: ["A"], rounds: { quick: 3, full: 50 } }],
  // A round is one byte of a backup.
  ["damage", { run: damage, editions: ["A"], rounds: { quick: 200, full: 5000 } }],
  // A round is one byte of a store that a server is started with. The file is the same for every edition.
  ["damaged_store", { run: damagedStore, editions: ["A"], rounds: { quick: 6, full: 1000 } }],
  // A round is one jump of the clock.
  ["clock", { run: clockJumps, editions: ["A", "B", "C"], rounds: { quick: 5, full: 100 } }],
  // A round is one minute.
  ["endurance", { run: endurance, editions: ["A", "B", "C"], rounds: { quick: 0.2, full: 60 } }],
  // A round is one bug. The bug itself names its edition.
  ["bugs", {
    run: plantedBugs,
    editions: ["A"],
    rounds: { quick: 1, full: BUGS.length },
    list: () => listOf(BUGS),
  }],
]);
