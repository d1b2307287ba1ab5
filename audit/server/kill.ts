import { pause } from "../../tests/support/eventually.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import type { HistoryRecorder } from "../history/record.ts";
import { AuditFailure } from "../report.ts";

/** How long clients may act before the kill, and how long a tracer may wait for its system call. */
export const TIMEOUT_MILLISECONDS = 2500;

/** The exit code that stands for SIGKILL. */
const KILLED = 137;

/** Kills a server at a moment, unless a tracer does so before. @returns whether the tracer did */
export async function killAt(server: ServerProcess, moment: Promise<unknown>): Promise<boolean> {
  const dead = deathOf(server);
  const isByTracer = await Promise.race([moment.then(() => false), dead]);
  server.signal("SIGKILL");
  await dead;
  return isByTracer;
}

/** Resolves when this number of acts are acknowledged, when the server has ended, or after a timeout. */
export async function untilDone(
  server: ServerProcess,
  recorder: HistoryRecorder,
  acts: number,
): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MILLISECONDS;
  while (server.isRunning && recorder.done < acts && performance.now() < endsAt) await pause(2);
}

/** Resolves when the server has been killed. @throws AuditFailure when it has ended in another way */
async function deathOf(server: ServerProcess): Promise<true> {
  const { code, stderr } = await server.ended(60);
  if (code !== KILLED) throw new AuditFailure("the server ended by itself", [`exit code ${code}`, stderr]);
  return true;
}
