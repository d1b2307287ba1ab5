import type { EditionName } from "../../../src/config/setting.ts";
import { Connection } from "../../../tests/support/connection.ts";
import { requestBytes, requestHead } from "../../connection.ts";
import { type Arena, type Attack, type Found, type LoadAttack, sizeText } from "./attack.ts";

/*
 * One body after another. Each has the largest size, and costs the server as much time and memory as possible
 * before it is decoded.
 */

const TRIES = 5;

const MIB = 1024 * 1024;

/** The caps on a body that follow from the default settings. */
const BODY_BYTES = 8 * MIB;
export const TICKET_BODY_BYTES = 40_779_776;

/** The limit of memory growth: four times the body, and some for its worker and for honest requests. */
const GROWTH_FACTOR = 4;
const GROWTH_SPARE_BYTES = 64 * MIB;

const encoder = new TextEncoder();

/** `before`, as many of `item` as fit, separated by commas, and `after`. */
export function repeated(
  before: string,
  item: string,
  after: string,
  bytes: number,
): Uint8Array<ArrayBuffer> {
  const [head, unit, tail] = [before, `${item},`, `${item}${after}`].map((text) => encoder.encode(text));
  const times = Math.floor((bytes - head!.length - tail!.length) / unit!.length);
  const body = new Uint8Array(head!.length + times * unit!.length + tail!.length);
  body.set(head!);
  body.set(unit!, head!.length);
  // Copies the existing part, which doubles each time.
  for (let done = unit!.length; done < times * unit!.length; done *= 2) {
    const end = Math.min(done, times * unit!.length - done);
    body.copyWithin(head!.length + done, head!.length, head!.length + end);
  }
  body.set(tail!, head!.length + times * unit!.length);
  return body;
}

function stringBody(character: string, bytes: number): Uint8Array<ArrayBuffer> {
  const [before, after] = ['{"events":[{"type":"t","payload":"', '"}]}'];
  const times = Math.floor((bytes - before.length - after.length) / encoder.encode(character).length);
  return encoder.encode(before + character.repeat(times) + after);
}

/** The bytes of a request whose body comes in chunks of one byte each. */
function byteByByte(target: string, bytes: number): Uint8Array<ArrayBuffer> {
  const chunks = encoder.encode("1\r\n \r\n".repeat(1024));
  const head = requestHead("POST", target, ["Transfer-Encoding: chunked"]);
  const end = encoder.encode("2\r\n{}\r\n0\r\n\r\n");
  const times = Math.floor((bytes - 2) / 1024);
  const request = new Uint8Array(head.length + times * chunks.length + end.length);
  request.set(head);
  for (let i = 0; i < times; i++) request.set(chunks, head.length + i * chunks.length);
  request.set(end, request.length - end.length);
  return request;
}

interface Shape {
  readonly name: string;
  readonly edition: EditionName;
  readonly transports?: readonly LoadAttack["transport"][];
  readonly bodyBytes: number;
  /** The expected statuses. */
  readonly statuses: readonly number[];
  /** All bytes of one request. */
  readonly request: () => Uint8Array<ArrayBufferLike>;
}

const EMPTY_EVENTS = ['{"events":[', "{}", "]}"] as const;
const ESCAPED_EVENTS = ['{"\\u0065vents":[', "{}", "]}"] as const;
const QUERY_ITEM = '{"types":["a"],"identifiers":[{"name":"b","value":"c"}]}';

type Parts = readonly [before: string, item: string, after: string];

function posted(name: string, target: string, parts: Parts, statuses = [400]): Shape {
  const [method, path] = target.split(" ") as [string, string];
  const edition = path === "/projections" ? "C" : "A";
  const bodyBytes = edition === "C" ? TICKET_BODY_BYTES : BODY_BYTES;
  const request = (): Uint8Array => requestBytes(method, path, repeated(...parts, bodyBytes));
  return { name: `${target}, ${name}`, edition, bodyBytes, statuses, request };
}

const BOTH = ["tcp", "unix"] as const;

const SHAPES: readonly Shape[] = [
  { ...posted("escaped key, empty items", "POST /projections", ESCAPED_EVENTS), transports: BOTH },
  posted("empty items", "POST /projections", ['{"create":[', "{}", "]}"]),
  { ...posted("escaped key, empty items", "POST /write", ESCAPED_EVENTS), transports: BOTH },
  posted("empty items", "POST /write", EMPTY_EVENTS),
  posted("escaped keys", "POST /write", ["{", '"\\u0061":1', "}"]),
  posted("one key again and again", "POST /write", ["{", '"events":[]', "}"]),
  posted("arrays in arrays", "POST /write", ["", "[[[[[[[[[[[[[[[[", ""]),
  posted("numbers", "POST /write", ['{"events":[', "1", "]}"]),
  posted("one condition, equal items", "POST /write", [
    '{"conditions":[{"failIfEventsMatch":[',
    QUERY_ITEM,
    "]}]}",
  ], [200, 400]),
  posted("equal items", "QUERY /events", ['{"query":[', QUERY_ITEM, "]}"], [200, 400]),
  posted("equal items, escaped keys", "QUERY /events", ['{"query":[', '{"\\u0074ypes":["a"]}', "]}"], [
    200,
    400,
  ]),
  posted("one item, equal values", "QUERY /events", ['{"query":[{"types":[', '"a"', "]}]}"]),
  posted("escaped key, empty items", "QUERY /events", ['{"\\u0071uery":[', "{}", "]}"]),
  ...["x", "\u00e9", "\u20ac", "\\u0061"].map((character): Shape => ({
    name: `POST /write, one string of ${JSON.stringify(character)}`,
    edition: "A",
    bodyBytes: BODY_BYTES,
    statuses: [400, 413],
    request: () => requestBytes("POST", "/write", stringBody(character, BODY_BYTES)),
  })),
  {
    name: "POST /write, chunks of one byte",
    edition: "A",
    bodyBytes: BODY_BYTES,
    statuses: [200],
    request: () => byteByByte("/write", BODY_BYTES),
  },
];

/** Sends a request on a connection of its own. @returns the status of its reply */
export async function sendOnce(arena: Arena, request: Uint8Array): Promise<number> {
  using connection = await Connection.open(arena.server.address);
  // The server may reject the request before everything is sent.
  const sending = connection.send(request).catch(() => {});
  const { status } = await connection.readReply("POST");
  connection.close();
  await sending;
  return status;
}

async function send(arena: Arena, shape: Shape): Promise<Found> {
  const request = shape.request();
  const tries = arena.count(TRIES);
  const faults: string[] = [];
  const seen = new Set<number>();
  let slowest = 0;
  for (let i = 0; i < tries; i++) {
    const from = performance.now();
    const status = await arena.measured(() => sendOnce(arena, request));
    slowest = Math.max(slowest, performance.now() - from);
    seen.add(status);
    if (!shape.statuses.includes(status)) faults.push(`answered ${status}`);
  }
  return { tries, outcome: `${[...seen].join(", ")} after ${(slowest / 1000).toFixed(1)} s at most`, faults };
}

export const bodies: readonly Attack[] = SHAPES.flatMap((shape) =>
  (shape.transports ?? ["tcp" as const]).map((transport): Attack => ({
    name: `${shape.edition} ${sizeText(shape.bodyBytes)} to ${shape.name} (${transport})`,
    edition: shape.edition,
    transport,
    honest: ["health", "read", "write"],
    bounds: { healthWorst: 50 },
    growthBytesMax: GROWTH_FACTOR * shape.bodyBytes + GROWTH_SPARE_BYTES,
    run: (arena) => send(arena, shape),
  }))
);
