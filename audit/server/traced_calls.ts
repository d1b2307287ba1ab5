/**
 * How often each call was made, from the output of `strace`. Each thread counts for itself, so this is the count of the
 * thread with the most calls.
 */
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

/** Returns true when a call was made to fail. */
export function hasInjected(output: string): boolean {
  return output.includes("(INJECTED)");
}

/** Returns true when the trace is complete, for a program that was started with `straceToEnd`. */
export function hasEnded(output: string, pid: number): boolean {
  return new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m").test(output);
}

/** Returns true when the last traced write or sync is one of the log of a store. */
export function endsAtLog(trace: string): boolean {
  const last = trace.split("\n").findLast((line) => /\b(fsync|pwrite64)\(/.test(line));
  return last?.includes("/events.db-wal>") === true;
}
