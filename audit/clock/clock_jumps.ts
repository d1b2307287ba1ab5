import { join } from "node:path";
import { eventually, pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { actUntilGone } from "../workload/act_until_gone.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { emptyStore } from "../history/store_content.ts";
import { faultsOfAnswers } from "../history/failed_answers.ts";
import { attemptsIn } from "../history/attempts.ts";
import { faultsOf } from "../history/check_history.ts";
import { readOverHttp } from "../history/read_over_http.ts";
import { HistoryRecorder } from "../history/record.ts";
import { randomLoad } from "../workload/acts.ts";
import { Random } from "../workload/random.ts";
import { FakeClock } from "./fake_clock.ts";
import { QuietServer } from "./quiet_server.ts";

/*
 * The clock of the machine jumps while clients write (libfaketime). Order, deadlines and ages do not depend on it, and
 * times keep their format.
 */

/** Jumps in the syntax of libfaketime, each with the years that the store may then report. */
const JUMPS: readonly (readonly [fake: string, years: (now: number) => number])[] = [
  ["+0", (now) => now],
  ["-1h", (now) => now],
  ["-10y", (now) => now - 10],
  ["+50y", (now) => now + 50],
  ["@1970-01-02 00:00:00", () => 1970],
];

const CLIENTS = 4;
/** A client waits this long between two acts. Jumps come seconds apart: a server that is never idle shows no more. */
const REST_MILLISECONDS = 25;
const ACTS_AFTER_A_JUMP = 12;
const WAIT_SECONDS = 1;
/** A busy machine may take longer to answer, but not as long as a jump. */
const WAIT_SECONDS_MAX = 20;
const TIMEOUT_SECONDS = 60;
const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A round is one jump. */
export async function clockJumps({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const clock = new FakeClock(join(directory, "clock"));
  const env = await clock.environment();
  await using server = await startServer({
    directory,
    listen: "unix",
    listenOnly: true,
    env: { SERVICE_EDITION: edition, ...env },
  });
  const quietDirectory = join(directory, "quiet");
  Deno.mkdirSync(quietDirectory);
  await using quiet = await QuietServer.start(edition, quietDirectory, env);
  using recorder = new HistoryRecorder(join(directory, "witness.jsonl"), 0);
  let isOver = false;
  const acting = Promise.all(Array.from({ length: CLIENTS }, (_, i) => {
    const own = random.fork();
    const choose = (id: number) => randomLoad(own, `client ${i}`, id);
    const rest = () => pause(REST_MILLISECONDS);
    return actUntilGone(edition, server.client(), `client ${i}`, recorder, choose, () => isOver, rest);
  }));
  // It is reported at the end.
  acting.catch(() => {});
  let rounds = 0;
  for (; !extent.isOver(rounds); rounds++) {
    const [jump, yearAt] = rounds < JUMPS.length ? JUMPS[rounds]! : random.pick(JUMPS);
    const year = yearAt(new Date().getUTCFullYear());
    await jumpTo(jump, year, server, recorder, () => quiet.assertStays(() => clock.set(jump)));
  }
  isOver = true;
  await acting;
  const acknowledged = await checkAfter(edition, server, recorder);
  demand("jumps of the clock", rounds, { acknowledged: [acknowledged, rounds * ACTS_AFTER_A_JUMP] });
  return { rounds, acknowledged };
}

/** @throws AuditFailure when anything waits for the clock, or a time is of another year */
async function jumpTo(
  jump: string,
  year: number,
  server: ServerProcess,
  recorder: HistoryRecorder,
  setClock: () => Promise<void>,
): Promise<void> {
  const waiting = waitInVain(server);
  await setClock();
  const before = recorder.entries.length;
  const done = (): number =>
    recorder.entries.slice(before).filter((entry) => "answer" in entry && entry.answer.fate === "done")
      .length;
  await eventually(() => {
    if (done() < ACTS_AFTER_A_JUMP) {
      throw new AuditFailure(`the clock jumped by ${jump}`, ["writes no longer end"]);
    }
  }, TIMEOUT_SECONDS);
  const { seconds, isEmptyPage } = await waiting;
  if (!isEmptyPage || seconds < WAIT_SECONDS * 0.9 || seconds > WAIT_SECONDS_MAX) {
    throw new AuditFailure(`the clock jumped by ${jump}`, [
      `a read that waits ended after ${seconds} s ${isEmptyPage ? "with" : "without"} an empty page`,
    ]);
  }
  const last = attemptsIn(recorder.entries).findLast(({ answer }) =>
    answer?.times !== undefined && answer.times.length > 0
  );
  const time = last?.answer?.times?.[0] ?? "";
  // Near a new year, an hour or a day more may lead into another year.
  if (Math.abs(Number(time.slice(0, 4)) - year) > 1) {
    throw new AuditFailure(`the clock jumped by ${jump}`, [`a write got the time ${time}`]);
  }
}

/** Waits for an event that no client writes. */
async function waitInVain(
  server: ServerProcess,
): Promise<{ readonly seconds: number; readonly isEmptyPage: boolean }> {
  const began = performance.now();
  const item = { types: ["never written"] };
  const wait: object = { waitSeconds: WAIT_SECONDS };
  const { events, hasMore } = await server.client().queryEvents([item], wait);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, isEmptyPage: events.length === 0 && hasMore === false };
}

/** @returns the number of acknowledged acts @throws AuditFailure */
async function checkAfter(
  edition: CheckContext["edition"],
  server: ServerProcess,
  recorder: HistoryRecorder,
): Promise<number> {
  const attempts = attemptsIn(recorder.entries);
  const changed = attempts.flatMap(({ act }) => act.kind === "write" ? act.projections : []);
  const names = new Map(changed.map(({ type, id }) => [JSON.stringify([type, id]), { type, id }]));
  const storeId = /, store ([0-9a-f-]+) /.exec(server.stdout)![1]!;
  const found = await readOverHttp(server.client(), edition === "B" ? "all" : "*", [...names.values()]);
  const faults = [
    ...faultsOf(emptyStore(storeId), recorder.entries, found),
    ...faultsOfAnswers(recorder.entries),
  ];
  for (const { sequence, time } of found.events) {
    if (!SHAPE.test(time)) faults.push(`event ${sequence} has the time ${time}`);
  }
  // A transaction expires here only when its deadline has jumped.
  const expired = attempts.filter(({ answer }) => answer?.status === 410 || answer?.status === 404).length;
  if (expired > 0) faults.push(`${expired} transactions have expired`);
  if (faults.length > 0) throw new AuditFailure("after the jumps", faults.slice(0, 10));
  return recorder.done;
}
