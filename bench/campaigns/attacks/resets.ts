import type { TcpAddress } from "../../../src/model/address.ts";
import { pause } from "../../../tests/support/eventually.ts";
import type { Arena, Attack, Found } from "./attack.ts";

/*
 * Connections that are reset before the server has accepted them. The attack calls the system directly: the runtime
 * has no SO_LINGER, and is slower than the server.
 */

const RATES = [20, 41, 800] as const;
const SECONDS = 8;
const TICK_MILLISECONDS = 10;

const AF_INET = 2;
const SOCK_STREAM_NONBLOCK = 1 | 0o4000;
const SOL_SOCKET = 1;
const SO_LINGER = 13;

/** `struct linger { int on; int seconds; }`: on, for 0 seconds. */
const LINGER = new Uint8Array(new Int32Array([1, 0]).buffer);

const SYSTEM_CALLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** `struct sockaddr_in` of 127.0.0.1. */
function socketAddress(port: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16);
  bytes.set([AF_INET, 0, port >> 8, port & 0xff, 127, 0, 0, 1]);
  return bytes;
}

async function reset(arena: Arena, perSecond: number): Promise<Found> {
  const library = Deno.dlopen("libc.so.6", SYSTEM_CALLS);
  const system = library.symbols;
  const address = socketAddress((arena.server.address as TcpAddress).port);
  const from = performance.now();
  const seconds = arena.seconds(SECONDS);
  let tries = 0;
  for (let gone = 0; gone < seconds; gone = (performance.now() - from) / 1000) {
    for (; tries < gone * perSecond; tries++) {
      const socket = system.socket(AF_INET, SOCK_STREAM_NONBLOCK, 0);
      if (socket < 0) throw new Error("the attacker has no descriptors");
      system.connect(socket, address, address.length);
      system.setsockopt(socket, SOL_SOCKET, SO_LINGER, LINGER, LINGER.length);
      system.close(socket);
    }
    await pause(TICK_MILLISECONDS);
  }
  library.close();
  return { tries, outcome: `${(tries / seconds).toFixed(0)} resets/s`, faults: [] };
}

export const resets: readonly Attack[] = RATES.map((perSecond) => ({
  name: `${perSecond} resets/s before accept`,
  edition: "A",
  transport: "tcp",
  honest: ["connect"],
  bounds: { p50: 2 },
  run: (arena) => reset(arena, perSecond),
}));
