/** How often each call was made, as `strace` reports it: by the thread that made most of them, since each counts for itself. */
export function countCalls(output: string): Map<string, number> {
  const perThread = new Map<string, number>();
  for (const [, thread, call] of output.matchAll(/^(\d+) +(\w+)\(/gm)) {
    const key = `${thread} ${call}`;
    perThread.set(key, (perThread.get(key) ?? 0) + 1);
  }
  const most = new Map<string, number>();
  for (const [key, count] of perThread) {
    const call = key.slice(key.indexOf(" ") + 1);
    most.set(call, Math.max(count, most.get(call) ?? 0));
  }
  return most;
}

/** Whether a call was made to fail. */
export function hasInjected(output: string): boolean {
  return output.includes("(INJECTED)");
}

/** Whether the trace is complete, for a program that was started with `straceToEnd`. */
export function hasEnded(output: string, pid: number): boolean {
  return new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m").test(output);
}

/** Whether the last write or sync that was traced is one of the log of a store. */
export function endsAtLog(trace: string): boolean {
  const last = trace.split("\n").findLast((line) => /\b(fsync|pwrite64)\(/.test(line));
  return last?.includes("/events.db-wal>") === true;
}
