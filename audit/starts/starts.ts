import { join } from "node:path";
import { type ServerProcess, spawnServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { isListening } from "../server/is_listening.ts";
import { copyDirectory, EVENTS_LEFT, makeAbandonedDirectory } from "../server/abandoned_directory.ts";
import { assertRejected, contentOf } from "../server/rejected_start.ts";
import { Random } from "../workload/random.ts";
import { type Base, BASES, makeWrong, permitAll, WRONG_STATES, type WrongState } from "./wrong_states.ts";

/*
 * A server that starts in a directory with something wrong in it serves the events that were there. Otherwise it ends
 * with one line that says why, and changes nothing.
 */

const TIMEOUT_SECONDS = 20;

/** Root may read and write regardless of the modes of files. */
const WITHOUT_PRIVILEGES = Deno.uid() === 0
  ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
  : [];

/** The payloads of the other store. It is larger, and has more than fits into a WAL before a checkpoint. */
const OTHER_PAYLOADS = Array.from({ length: 100 }, () => "another store ".repeat(4000));

/** A round is one wrong state. Once all were tried, they are repeated with other random bytes. */
export async function starts({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const bases = new Map<Base, string>();
  for (const base of BASES) {
    bases.set(base, join(directory, base));
    await makeAbandonedDirectory(join(directory, base), base);
  }
  const other = join(directory, "other");
  await makeAbandonedDirectory(other, "killed", OTHER_PAYLOADS);
  const tally = { rounds: 0, rejected: 0, served: 0 };
  let waiting: WrongState[] = [];
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    if (waiting.length === 0) waiting = [...WRONG_STATES];
    const [state] = waiting.splice(random.below(waiting.length), 1);
    const place = join(directory, "place");
    await copyDirectory(bases.get(state!.base)!, place);
    await makeWrong(join(place, "data"), state!, random, join(other, "data"));
    tally[await startIn(place, state!, edition)]++;
    await permitAll(place);
    Deno.removeSync(place, { recursive: true });
  }
  demand("wrong starts", tally.rounds, {
    // A third of the wrong states are rejected, so a few dozen rounds may by chance meet none.
    rejected: [tally.rejected, Math.floor(tally.rounds / 50)],
    served: [tally.served, Math.floor(tally.rounds / 10)],
  });
  return tally;
}

function options(directory: string, edition: string) {
  return {
    directory,
    listen: "unix",
    listenOnly: true,
    env: { SERVICE_EDITION: edition },
    under: WITHOUT_PRIVILEGES,
  } as const;
}

async function startIn(place: string, state: WrongState, edition: string): Promise<"rejected" | "served"> {
  const where = `${state.base}, ${state.file} ${state.shape}`;
  const before = await contentOf(place);
  await using server = spawnServer(options(place, edition));
  const isUp = await isListening(server, where, TIMEOUT_SECONDS);
  if (isUp) {
    const payloads = await payloadsOf(server, edition, where);
    const isKnown = payloads.every((payload, i) => payload === String(i));
    // A log that is missing, cut off or of another store cannot be distinguished from an emptied one.
    const mayLack = state.base === "killed" && /-wal$/.test(state.file) || startsAnew(state);
    if (!isKnown || (payloads.length < EVENTS_LEFT && !mayLack)) {
      throw new AuditFailure(where, [`it serves ${payloads.length} events`]);
    }
    return "served";
  }
  await assertRejected(server, where, place, before, TIMEOUT_SECONDS);
  return "rejected";
}

/** @throws AuditFailure when the server listens and serves nothing */
async function payloadsOf(server: ServerProcess, edition: string, where: string): Promise<string[]> {
  try {
    return (await server.client().allEvents(edition === "B" ? "all" : "*")).map(({ payload }) => payload);
  } catch (error) {
    throw new AuditFailure(`${where}, and the server has started`, [String(error), server.stderr.trim()]);
  }
}

/** Returns true when a directory lacks its database and its log: then it counts as a new one. */
function startsAnew({ base, file, shape }: WrongState): boolean {
  return base === "stopped" && file === "events.db" && shape === "is missing";
}
