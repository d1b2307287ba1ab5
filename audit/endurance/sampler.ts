import { cpuSecondsOf, rssBytesOf, schedulingOf } from "../../bench/process_usage.ts";
import { openDescriptors } from "../../tests/http/transport/support/transport_process.ts";
import type { ServerProcess } from "../../tests/support/server_process.ts";
import type { Load } from "./load.ts";
import type { Sample } from "./sample.ts";

/** Takes samples of a server and its machine. */
export class Sampler {
  readonly #began = performance.now();
  #ticks = processorTicks();
  #ownSeconds = 0;
  #scheduling = { ran: 0, waited: 0 };

  /** @param events the number of events in the store */
  take(server: ServerProcess, life: number, events: number, load: Load): Sample {
    const wal = `${server.databasePath}-wal`;
    return {
      seconds: Math.round((performance.now() - this.#began) / 100) / 10,
      life,
      events,
      rssMib: Math.round((rssBytesOf(server.pid) ?? NaN) / 2 ** 20),
      descriptors: openDescriptors(server.pid),
      databaseBytes: Deno.statSync(server.databasePath).size,
      walBytes: Deno.statSync(wal).size,
      ...load.takeLatencies(),
      loadAverage: Deno.loadavg()[0]!,
      othersShare: this.#othersShare(server.pid),
      waitingShare: this.#waitingShare(server.pid),
    };
  }

  /** Excludes the time since the last sample, which would otherwise count for the next one. */
  skip(server: ServerProcess): void {
    this.#othersShare(server.pid);
    this.#waitingShare(server.pid);
  }

  #othersShare(pid: number): number {
    const [ticks, ownSeconds] = [processorTicks(), ownSecondsWith(pid)];
    const busySeconds = (ticks.busy - this.#ticks.busy) / TICKS_PER_SECOND;
    const allSeconds = (ticks.all - this.#ticks.all) / TICKS_PER_SECOND;
    const own = ownSeconds - this.#ownSeconds;
    [this.#ticks, this.#ownSeconds] = [ticks, ownSeconds];
    return allSeconds === 0 ? 0 : hundredths((busySeconds - own) / allSeconds);
  }

  #waitingShare(pid: number): number {
    const scheduling = schedulingOf(pid) ?? { ran: NaN, waited: NaN };
    const [ran, waited] = [
      scheduling.ran - this.#scheduling.ran,
      scheduling.waited - this.#scheduling.waited,
    ];
    this.#scheduling = scheduling;
    return hundredths(waited / (ran + waited));
  }
}

/** Threads that end take their time with them, so a share may be below 0. */
function hundredths(share: number): number {
  return Math.max(0, Math.round(100 * share) / 100);
}

/** The kernel's unit of processor time in /proc. */
const TICKS_PER_SECOND = 100;

/** The ticks of all processors together since the machine started. Time taken away by a hypervisor counts as busy. */
function processorTicks(): { readonly busy: number; readonly all: number } {
  const line = Deno.readTextFileSync("/proc/stat").split("\n")[0]!;
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...rest] = line.trim().split(/\s+/).slice(
    1,
    9,
  )
    .map(Number);
  const busy = user + nice + system + rest.reduce((sum, ticks) => sum + ticks, 0);
  return { busy, all: busy + idle + waiting };
}

/** The processor time of the server, of this process, and of the programs that it has run to their end. */
function ownSecondsWith(pid: number): number {
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(13, 15).map(Number);
  return (cpuSecondsOf(pid) ?? 0) + (cpuSecondsOf(Deno.pid) ?? 0) + (user + system) / TICKS_PER_SECOND;
}
