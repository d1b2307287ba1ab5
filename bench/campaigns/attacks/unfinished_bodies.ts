import { Connection } from "../../../tests/support/connection.ts";
import { eventually, pause } from "../../../tests/support/eventually.ts";
import { openSockets } from "../../../tests/http/transport/support/transport_process.ts";
import { requestBytes } from "../../connection.ts";
import { type Arena, type Attack, type Found, type LoadAttack, sizeText } from "./attack.ts";
import { TICKET_BODY_BYTES } from "./bodies.ts";

/*
 * Bodies that do not end. Many lack only their last byte, and take memory for nothing. Another one comes too slowly
 * for a real client.
 */

const BODY_BYTES = 8 * 1024 * 1024;
const HELD_SECONDS = 20;
const CLOSED_SECONDS_MAX = 5;

/** Sends as much as it can of a request, and holds the connection until `leave` resolves. */
async function hold(arena: Arena, bytes: Uint8Array, leave: Promise<void>): Promise<"held" | "cut"> {
  const connection = await Connection.open(arena.server.address).catch(() => undefined);
  if (connection === undefined) return "cut";
  let cut = false;
  const sending = connection.send(bytes).catch(() => cut = true);
  const reading = connection.readReply("POST").then(() => cut = true, () => cut = true);
  await leave;
  const state = cut ? "cut" : "held";
  connection.close();
  await Promise.all([sending, reading]);
  return state;
}

async function withoutLastByte(arena: Arena, target: string, bytes: number, full: number): Promise<Found> {
  const whole = requestBytes("POST", target, new Uint8Array(bytes).fill(0x20));
  const request = whole.subarray(0, -1);
  const leave = Promise.withResolvers<void>();
  const tries = arena.count(full);
  const clients = Array.from({ length: tries }, () => hold(arena, request, leave.promise));
  await arena.measured(() => pause(arena.seconds(HELD_SECONDS) * 1000));
  leave.resolve();
  const states = await Promise.all(clients);
  const cut = states.filter((state) => state === "cut").length;
  return { tries, outcome: `${cut} cut off after ${arena.seconds(HELD_SECONDS)} s`, faults: [] };
}

/** All bytes except the last few are sent at once. Then one follows at this interval, which never counts as a stall. */
const DRIP_SECONDS = 10;
const DRIPS_MAX = 5;

async function dripping(arena: Arena, full: number): Promise<Found> {
  const request = requestBytes("POST", "/write", new Uint8Array(BODY_BYTES).fill(0x20));
  const tries = arena.count(full);
  const cut = await Promise.all(Array.from({ length: tries }, () => secondsUntilCut(arena, request)));
  const seconds = cut.map((value) => value ?? Infinity);
  const faults = seconds.some((value) => value === Infinity) ? ["a body that drips is never cut off"] : [];
  return { tries, outcome: `cut off after ${Math.max(...seconds).toFixed(0)} s`, faults };
}

async function secondsUntilCut(arena: Arena, request: Uint8Array): Promise<number | undefined> {
  using connection = await Connection.open(arena.server.address);
  let at = request.length - DRIPS_MAX - 1;
  const cut = connection.atEnd().then(() => "cut" as const);
  await Promise.race([connection.send(request.subarray(0, at)).catch(() => {}), cut]);
  const from = performance.now();
  for (let drips = 0; drips < DRIPS_MAX; drips++) {
    if (await Promise.race([cut, pause(DRIP_SECONDS * 1000)]) === "cut") {
      return (performance.now() - from) / 1000;
    }
    await connection.send(request.subarray(at, ++at)).catch(() => {});
  }
  return undefined;
}

/** A rejected call of edition C whose body is completed afterwards. Such connections must be closed, too. */
const CEILING_SECONDS = 1;

async function completedLate(arena: Arena, full: number): Promise<Found> {
  const tries = arena.count(full);
  const faults: string[] = [];
  let slowest = 0;
  const before = openSockets(arena.server.pid);
  for (let i = 0; i < tries; i++) {
    const begun = await arena.server.client().request("POST", "/begin");
    const { ticket } = begun.json<{ ticket: string }>();
    const body = JSON.stringify({ events: [{ type: "t", payload: "x".repeat(1000) }] });
    const request = requestBytes("POST", "/events", body, `X-Service-Ticket: ${ticket}`);
    const connection = await Connection.open(arena.server.address);
    arena.keep(connection);
    await connection.send(request.subarray(0, -500));
    const { status } = await connection.readReply("POST");
    if (status !== 410) faults.push(`answered ${status}`);
    await connection.send(request.subarray(-500)).catch(() => {});
    const from = performance.now();
    // The server ends its side at once. Only its descriptors show when it closes the connection.
    await eventually(() => {
      if (openSockets(arena.server.pid) > before) throw new Error("the server keeps the connection");
    }, CLOSED_SECONDS_MAX).catch((error) => faults.push((error as Error).message));
    slowest = Math.max(slowest, performance.now() - from);
  }
  return { tries, outcome: `410, let go after ${(slowest / 1000).toFixed(1)} s at most`, faults };
}

function lacking(
  edition: "A" | "C",
  transport: LoadAttack["transport"],
  full: number,
  bytes: number,
): Attack {
  const target = edition === "A" ? "/write" : "/projections";
  return {
    name: `${edition} ${full} bodies of ${sizeText(bytes)} without their last byte (${transport})`,
    edition,
    transport,
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => withoutLastByte(arena, target, bytes, full),
  };
}

export const unfinishedBodies: readonly Attack[] = [
  lacking("A", "tcp", 50, BODY_BYTES),
  lacking("A", "unix", 50, BODY_BYTES),
  lacking("C", "tcp", 50, TICKET_BODY_BYTES),
  lacking("A", "tcp", 1000, BODY_BYTES),
  lacking("A", "tcp", 1000, 60_000),
  {
    name: "A body that drips",
    edition: "A",
    transport: "tcp",
    honest: ["health", "read", "write"],
    bounds: { p99: 100 },
    run: (arena) => dripping(arena, 5),
  },
  {
    name: "C half a body, the ceiling, 410, the rest of the body",
    edition: "C",
    transport: "tcp",
    env: {
      SERVICE_TRANSACTION_TIMEOUT: String(CEILING_SECONDS),
      SERVICE_MAX_TRANSACTION_DURATION: String(CEILING_SECONDS),
    },
    honest: ["health", "read"],
    bounds: { p99: 100 },
    run: (arena) => completedLate(arena, 5),
  },
];
