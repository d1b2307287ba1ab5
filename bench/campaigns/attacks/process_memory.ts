const WATCH_MILLISECONDS = 20;

/** Resident memory of a process in MiB, now and at its highest; undefined once it has ended. */
export function memoryOf(pid: number): { readonly now: number; readonly highest: number } | undefined {
  let status: string;
  try {
    status = Deno.readTextFileSync(`/proc/${pid}/status`);
  } catch {
    return undefined;
  }
  const mib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  // A process that has just ended has no memory left to report.
  return Number.isNaN(mib("VmRSS")) ? undefined : { now: mib("VmRSS"), highest: mib("VmHWM") };
}

/** Watches the memory of a process, since a killed process no longer reports it. */
export class MemoryWatch implements Disposable {
  readonly #pid: number;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Resident memory when the watch began. */
  readonly before: number;
  #highest = 0;

  constructor(pid: number) {
    this.#pid = pid;
    // Resets the kernel's record of the highest value.
    Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
    this.before = memoryOf(pid)?.now ?? NaN;
    this.#timer = setInterval(() => this.#look(), WATCH_MILLISECONDS);
  }

  get highest(): number {
    this.#look();
    return this.#highest;
  }

  /** Resident memory at this moment; NaN once the process has ended. */
  get now(): number {
    return memoryOf(this.#pid)?.now ?? NaN;
  }

  get isAlive(): boolean {
    return memoryOf(this.#pid) !== undefined;
  }

  #look(): void {
    this.#highest = Math.max(this.#highest, memoryOf(this.#pid)?.highest ?? 0);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
