import { counter, gauge } from "./exposition.ts";

/** Not in the runtime's types yet. `node:process` has the same, but loading it takes 4 MB and 30 ms. */
const { cpuUsage } = Deno as unknown as {
  readonly cpuUsage?: () => { readonly user: number; readonly system: number };
};

/**
 * Returns the metrics that every program should have, as far as the runtime provides them. It does not provide the
 * number of open descriptors and its limit. To read those, the program would need every permission.
 */
export function processMetrics(): string {
  return [
    cpuSeconds(),
    gauge("process_resident_memory_bytes", "Resident memory.", Deno.memoryUsage().rss),
    gauge(
      "process_start_time_seconds",
      "When the process started, in seconds since 1970.",
      performance.timeOrigin / 1000,
    ),
  ].join("");
}

function cpuSeconds(): string {
  const used = cpuUsage?.();
  if (used === undefined) return "";
  return counter(
    "process_cpu_seconds_total",
    "Processor time of the process, in user and system mode.",
    (used.user + used.system) / 1e6,
  );
}
