/** The kernel's unit of CPU time in /proc, on every Linux that the runtime supports. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, including threads that have ended; undefined where there is no /proc. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = procFile(pid, "stat");
  if (stat === undefined) return undefined;
  // The process name before the fields may contain any character, even a parenthesis.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) / TICKS_PER_SECOND;
}

/** For the living threads of a process: how long they have run, and how long they waited for a processor. */
export function schedulingOf(pid: number): { readonly ran: number; readonly waited: number } | undefined {
  const times = threadsOf(pid).flatMap((thread) => {
    const nanoseconds = procFile(pid, `task/${thread}/schedstat`)?.split(" ").map(Number);
    return nanoseconds === undefined ? [] : [nanoseconds];
  });
  if (times.length === 0) return undefined;
  const seconds = (i: number): number => times.reduce((sum, nanoseconds) => sum + nanoseconds[i]!, 0) / 1e9;
  return { ran: seconds(0), waited: seconds(1) };
}

function threadsOf(pid: number): string[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** The resident memory of a process. */
export function rssBytesOf(pid: number): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(procFile(pid, "status") ?? "")?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}
