import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pause } from "../../../tests/support/eventually.ts";
import { type ServerProcess, startServer } from "../../../tests/support/server_process.ts";
import { bearer, tokenToml } from "../../../tests/support/tokens.ts";
import { sendWithEveryRequest } from "../../connection.ts";
import { median } from "../report.ts";
import { type Attack, type Bounds, type Found, type LoadAttack, type Scale } from "./attack.ts";
import { HonestClient } from "./honest_client.ts";
import { EVERY_MILLISECONDS, type HonestReport, type HonestRequest } from "./honest_order.ts";
import { type Latency, now, type Span, summary, within } from "./latencies.ts";
import { MemoryWatch } from "./process_memory.ts";

/** The heap of a small machine, and the memory that the server may take there. */
const HEAP_MIB_MAX = 1024;
const RESIDENT_MIB_MAX = 1024;

const STOP_SECONDS_MAX = 4;
/** A fresh process is slow for a moment. */
const WARM_UP_SECONDS = 1;
const QUIET_SECONDS = 2;

/** On a slow machine the bounds are higher: this many times the value that was measured there before the attack. */
const QUIET_FACTOR = 3;

/** But they rise no further than by this factor, since very high bounds would hide any fault. */
const ALLOWANCE_FACTOR = 3;

export interface Row {
  readonly attack: string;
  readonly tries: number;
  /** Milliseconds of honest requests, from the slowest kind of request. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly worst: number | undefined;
  readonly peakMib: number | undefined;
  readonly afterMib: number | undefined;
  readonly outcome: string;
  /** Bounds that were broken; empty when all is well. */
  readonly faults: readonly string[];
}

/** The tokens of an attacker and of honest clients who are two tenants of one store, and of an operator. */
const TOKENS = tokenToml("attacker", "attacker", ["read", "write"], 'within = { tenant = "attacker" }\n') +
  tokenToml("honest", "honest", ["read", "write"], 'within = { tenant = "honest" }\n') +
  tokenToml("operator", "operator", ["operate"]);

/**
 * Runs one attack against a server of its own.
 * @param isOfTenant the attacker and the honest clients are two tenants of one store
 */
export async function runAttack(attack: Attack, numbers: Scale, isOfTenant = false): Promise<Row> {
  const none = { p50: undefined, p99: undefined, worst: undefined, peakMib: undefined, afterMib: undefined };
  if ("run" in attack) {
    const brokenOff = (error: Error): Row => ({ attack: attack.name, ...none, ...failed(error) });
    return await runLoadAttack(attack, numbers, isOfTenant).catch(brokenOff);
  }
  return { attack: attack.name, ...none, ...await attack.plain(numbers).catch(failed) };
}

async function runLoadAttack(attack: LoadAttack, numbers: Scale, isOfTenant: boolean): Promise<Row> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_attack_" });
  try {
    attack.fill?.(join(directory, "data"));
    Deno.writeTextFileSync(join(directory, "tokens.toml"), TOKENS);
    const tenantEnv = { SERVICE_ENABLE_AUTH: "true", SERVICE_TOKENS_FILE: "tokens.toml" };
    sendWithEveryRequest(isOfTenant ? "Authorization: Bearer attacker" : undefined);
    await using server = await startServer({
      listen: attack.transport,
      listenOnly: true,
      directory,
      heapMibMax: HEAP_MIB_MAX,
      env: {
        SERVICE_EDITION: attack.edition,
        SERVICE_LOG_LEVEL: "error",
        ...attack.env,
        ...isOfTenant ? tenantEnv : {},
      },
      ...isOfTenant ? { headers: bearer("attacker") } : {},
    });
    return await attackServer(attack, server, numbers, isOfTenant ? "honest" : undefined);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function attackServer(
  attack: LoadAttack,
  server: ServerProcess,
  numbers: Scale,
  honestToken: string | undefined,
): Promise<Row> {
  const before = eventsIn(server);
  const { address } = server;
  using honest = await HonestClient.start({
    address,
    edition: attack.edition,
    requests: attack.honest,
    token: honestToken,
  });
  await pause(WARM_UP_SECONDS * 1000);
  const quietFrom = now();
  await pause(numbers.seconds(QUIET_SECONDS) * 1000);
  using memory = new MemoryWatch(server.pid);
  const beside: Span[] = [];
  using kept = new DisposableStack();
  const attackFrom = now();
  let [acknowledged, unsure] = [0, 0];
  const found = await attack.run({
    ...numbers,
    server,
    async measured(run) {
      const from = now();
      return await run().finally(() => beside.push({ from, to: now() }));
    },
    keep: (connection) => void kept.use(connection),
    wrote(events, perhaps = 0) {
      acknowledged += events;
      unsure += perhaps;
    },
  }).catch(failed);
  const spans = beside.length > 0 ? beside : [{ from: attackFrom, to: now() }];
  const report = await honest.stop();
  const faults = [...found.faults, ...report.failures.slice(0, 3).map((text) => `honest ${text}`)];
  const latencies = verdict(attack.bounds, report, { from: quietFrom, to: attackFrom }, spans, faults);
  await pause(1000);
  const afterMib = memory.isAlive ? memory.now : undefined;
  checkMemory(attack, memory, faults);
  await checkEnd(server, memory.isAlive, faults);
  acknowledged += report.acknowledged;
  checkEvents(eventsIn(server) - before, acknowledged, unsure + report.unsure, faults);
  const { name } = attack;
  return {
    attack: name,
    tries: found.tries,
    ...latencies,
    peakMib: memory.highest,
    afterMib,
    outcome: found.outcome,
    faults,
  };
}

/** The result of an attack that could not be carried out. */
function failed(error: Error): Found {
  return { tries: 0, outcome: "broke off", faults: [`broke off: ${error.message.split("\n")[0]}`] };
}

/** Adds faults that honest clients noticed. @returns the figures of the slowest kinds of request */
function verdict(
  bounds: Bounds,
  report: HonestReport,
  quiet: Span,
  beside: readonly Span[],
  faults: string[],
): Pick<Row, "p50" | "p99" | "worst"> {
  const figures = { p50: 0, p99: 0, worst: 0 };
  const kinds = Object.entries(report.latencies) as [HonestRequest, Latency[]][];
  if (kinds.length === 0) return { p50: undefined, p99: undefined, worst: undefined };
  for (const [request, latencies] of kinds) {
    const before = summary(within(latencies, [quiet]), EVERY_MILLISECONDS);
    const meanwhile = summary(within(latencies, beside), EVERY_MILLISECONDS);
    for (const share of ["p50", "p99"] as const) {
      const bound = allowed(bounds[share] ?? Infinity, before[share]);
      if (meanwhile[share] > bound) faults.push(`${share} of ${request}: ${meanwhile[share].toFixed(1)} ms`);
      figures[share] = Math.max(figures[share], meanwhile[share]);
    }
    figures.worst = Math.max(figures.worst, meanwhile.worst);
    if (request === "health" && bounds.healthWorst !== undefined) {
      const worst = median(
        beside.map((span) => summary(within(latencies, [span]), EVERY_MILLISECONDS).worst),
      );
      if (!(worst <= allowed(bounds.healthWorst, before.p99))) {
        faults.push(`/health waits ${worst.toFixed(0)} ms`);
      }
    }
  }
  return figures;
}

/** The bound on this machine, in milliseconds. `quiet` is the usual value without an attack. */
function allowed(bound: number, quiet: number): number {
  return Math.min(ALLOWANCE_FACTOR * bound, Math.max(bound, QUIET_FACTOR * quiet));
}

function checkMemory(attack: LoadAttack, memory: MemoryWatch, faults: string[]): void {
  const { highest, before } = memory;
  if (highest >= RESIDENT_MIB_MAX) faults.push(`RSS ${highest.toFixed(0)} MiB`);
  const grown = (highest - before) * 1024 * 1024;
  if (grown > (attack.growthBytesMax ?? Infinity)) {
    faults.push(`grew by ${(highest - before).toFixed(0)} MiB`);
  }
}

async function checkEnd(server: ServerProcess, isAlive: boolean, faults: string[]): Promise<void> {
  const from = performance.now();
  const { code, stderr } = await server.stop();
  const seconds = (performance.now() - from) / 1000;
  if (!isAlive) faults.push(`the server died with exit code ${code}`);
  else if (code !== 0) faults.push(`SIGTERM: exit code ${code}: ${stderr.split("\n")[0]}`);
  if (seconds > STOP_SECONDS_MAX) faults.push(`SIGTERM took ${seconds.toFixed(1)} s`);
}

/** Acknowledged events must exist, and no others. */
function checkEvents(written: number, acknowledged: number, unsure: number, faults: string[]): void {
  if (written < acknowledged) faults.push(`${acknowledged - written} acknowledged events are lost`);
  if (written > acknowledged + unsure) faults.push(`${written - acknowledged} events nobody was told about`);
}

/** Counts the events from outside, through a connection that only reads. */
function eventsIn(server: ServerProcess): number {
  const database = new DatabaseSync(server.databasePath, { readOnly: true });
  try {
    return Number(
      database.prepare("SELECT coalesce(max(sequence), 0) AS events FROM event").get()!["events"],
    );
  } finally {
    database.close();
  }
}
