import { Semaphore } from "../../async/semaphore.ts";
import type { Reply } from "../../http/exchange.ts";
import { textReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { ApiError } from "../../model/errors.ts";

const SECONDS_DEFAULT = 10;
const SECONDS_MAX = 300;

const INDEX = `profiling of the main thread, for Chrome DevTools
/debug/pprof/profile?seconds=${SECONDS_DEFAULT}  CPU profile over that many seconds (1 to ${SECONDS_MAX}); save as .cpuprofile
/debug/pprof/heap  heap snapshot; save as .heapsnapshot
/debug/pprof/cmdline  how the program was started`;

/** Profiling endpoints, for development mode only. Profiling is expensive, so only one request at a time may do it. */
export function profilingRoutes(): Route[] {
  const semaphore = new Semaphore(1);
  const get = (path: string, handle: Route["handle"]): Route =>
    getRoute("develop", `/debug/pprof/${path}`, handle);
  return [
    get("", () => textReply(200, INDEX)),
    get("profile", async ({ query, disconnected }) => {
      const seconds = secondsOf(query);
      const end = await begin(semaphore, disconnected);
      return download("server.cpuprofile", await cpuProfile(seconds, disconnected).finally(end));
    }),
    get(
      "heap",
      async ({ disconnected }) =>
        download("server.heapsnapshot", heapSnapshot(await begin(semaphore, disconnected))),
    ),
    get("cmdline", () => textReply(200, [Deno.execPath(), Deno.mainModule, ...Deno.args].join(" "))),
  ];
}

/**
 * Begins a profile or snapshot, of which there is one at a time. Many would take gigabytes, and block the main thread
 * for minutes.
 * @param disconnected aborts when the client disconnects: a stream without a reader never ends
 * @returns ends it
 * @throws ApiError `Unavailable` while another one is being made
 */
async function begin(semaphore: Semaphore, disconnected: AbortSignal): Promise<() => void> {
  if (semaphore.isFull) throw new ApiError("Unavailable", "another profile or snapshot is being made");
  const end = await semaphore.enter();
  disconnected.addEventListener("abort", end, { once: true });
  return end;
}

function download(fileName: string, body: Reply["body"]): Reply {
  const headers = {
    "Content-Type": "application/json",
    "Content-Disposition": `attachment; filename="${fileName}"`,
  };
  return { status: 200, headers, body };
}

function secondsOf(query: string): number {
  const text = new URLSearchParams(query).get("seconds") ?? String(SECONDS_DEFAULT);
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= SECONDS_MAX) return seconds;
  throw new ApiError("InvalidRequest", `seconds must be a whole number from 1 to ${SECONDS_MAX}`);
}

/** Records what the main thread does until the time is up or the client disconnects. */
async function cpuProfile(seconds: number, disconnected: AbortSignal): Promise<string> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connect();
  try {
    session.post("Profiler.enable");
    session.post("Profiler.start");
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      disconnected.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
    return await new Promise((resolve, reject) => {
      session.post("Profiler.stop", (error, result) => {
        if (error === null) resolve(JSON.stringify(result.profile));
        else reject(error);
      });
    });
  } finally {
    session.disconnect();
  }
}

async function* heapSnapshot(end: () => void): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  try {
    const { getHeapSnapshot } = await import("node:v8");
    for await (const piece of getHeapSnapshot()) yield new Uint8Array(piece);
  } finally {
    end();
  }
}
