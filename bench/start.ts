import { delay } from "../src/async/delay.ts";
import type { ChildProcess } from "./child_process.ts";
import { median } from "./campaigns/report.ts";
import { Connection, requestBytes } from "./connection.ts";
import { rssBytesOf } from "./process_usage.ts";

/** The time of a server from its start to its first answer, and its memory when idle. */
export interface Started {
  readonly seconds: number;
  /** Undefined where there is no /proc. */
  readonly rssBytes?: number;
}

const STARTS = 3;
const REST_MILLISECONDS = 2000;

/** Starts a server on a store a few times. @returns the median of each */
export async function measureStart(start: () => ChildProcess): Promise<Started> {
  const seconds: number[] = [];
  const rssBytes: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const startedAt = performance.now();
    await using server = start();
    await server.listening();
    using connection = await Connection.open(server.address);
    await connection.request(requestBytes("GET", "/health", ""));
    seconds.push((performance.now() - startedAt) / 1000);
    await delay(REST_MILLISECONDS);
    rssBytes.push(rssBytesOf(server.pid) ?? NaN);
  }
  const bytes = median(rssBytes);
  return { seconds: median(seconds), ...Number.isNaN(bytes) ? {} : { rssBytes: bytes } };
}
