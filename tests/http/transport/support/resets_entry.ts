import { connect } from "node:net";

/*
 * Opens a number of connections a second to a port of this machine and resets each at once, mostly before the server
 * accepts it. Prints the number of resets every second, until it is killed.
 */

const [port, perSecond] = Deno.args.map(Number) as [number, number];
const TICK_MILLISECONDS = 10;

let count = 0;

function reset(): void {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.on("connect", () => {
    count++;
    socket.resetAndDestroy();
  });
}

const startedAt = performance.now();
let begun = 0;
setInterval(() => {
  const due = (performance.now() - startedAt) / 1000 * perSecond;
  for (; begun < due; begun++) reset();
}, TICK_MILLISECONDS);
setInterval(() => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${count}\n`));
}, 1000);
