import { ChildProcess } from "../child_process.ts";
import { measureRows, on } from "../rounds.ts";
import { speedrun, speedrunOfClient, speedrunOverConnections } from "../workloads/speedrun.ts";
import { print, table } from "./report.ts";

/*
 * The cost of the client library. The load generator makes decisions with prepared requests over raw sockets. Here
 * as many callers in one process make the same decisions with `decide`, over `fetch` and over connections that are
 * kept.
 *
 *   deno task campaign:client [seconds of each row]
 */

const CALLERS = 64;
const seconds = Number(Deno.args[0] ?? 15);

const directory = await Deno.makeTempDir({ prefix: "eventstore_bench_" });
try {
  const main = new URL("../../main.ts", import.meta.url);
  await using server = new ChildProcess(main, directory, false, `${directory}/data`, {});
  await server.listening();
  const rows: string[][] = [];
  const measured = await measureRows({
    seconds,
    onRow(
      name,
      { requestsPerSecond, p50Milliseconds, p99Milliseconds, clientMicroseconds, conflictsPerSecond },
    ) {
      const numbers = [
        requestsPerSecond,
        p50Milliseconds,
        p99Milliseconds,
        clientMicroseconds,
        conflictsPerSecond,
      ];
      rows.push([name, ...numbers.map((number) => number?.toFixed(1) ?? "")]);
    },
  }, {
    "load generator": on(server, (address, timing) => speedrun(address, timing, CALLERS)),
    "client": on(server, (address, timing) => speedrunOfClient(address, timing, CALLERS)),
    "client, kept": on(server, (address, timing) => speedrunOverConnections(address, timing, CALLERS)),
  });
  print(
    table([`${CALLERS} callers`, "decisions/s", "p50 ms", "p99 ms", "client us CPU", "conflicts/s"], rows),
  );
  const ratioOf = (name: keyof typeof measured): string =>
    (measured[name].requestsPerSecond / measured["load generator"].requestsPerSecond).toFixed(2);
  print(`\nratio ${ratioOf("client")}, with kept connections ${ratioOf("client, kept")}\n`);
} finally {
  await Deno.remove(directory, { recursive: true });
}
