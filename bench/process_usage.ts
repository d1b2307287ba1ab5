/** The kernel's unit of CPU time in /proc, on every Linux that the runtime supports. */
const TICKS_PER_SECOND = 100;

/** The CPU time of all threads of a process so far, those that have ended included; undefined where there is no /proc. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = procFile(pid, "stat");
  if (stat === undefined) return undefined;
  // The name before them may contain anything, a parenthesis as well.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) / TICKS_PER_SECOND;
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
