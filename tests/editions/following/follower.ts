import { delay } from "../../../src/async/delay.ts";

/*
 * Follows the events of a server like a user's program: it reads, waits, and continues where it stopped.
 *   deno run follower.ts <http://host:port, or the path of a unix socket> <file> <query> <seconds to wait>
 * Each event becomes a line of the file, together with the position after it. One write stores both, so that
 * the file has each event exactly once, whenever this program is killed.
 */

/** A line of the file. A line without an event means: no event matches up to this position. */
export interface Step {
  readonly store: string;
  /** The sequence after which reading continues. */
  readonly position: number;
  readonly event?: { readonly sequence: number; readonly payload: string };
}

/** The error when the server is overloaded or is about to stop. */
class Unavailable extends Error {}

const [address = "", path = "", query = "", waitSeconds = ""] = Deno.args;
const isUrl = address.startsWith("http:");
const url = `${isUrl ? address : "http://localhost"}/events`;
const client = isUrl ? undefined : Deno.createHttpClient({ proxy: { transport: "unix", path: address } });

const file = Deno.openSync(path, { create: true, append: true });
let last = lastStep();

for (;;) {
  try {
    await readOn();
  } catch (error) {
    // A failed fetch is a TypeError.
    if (!(error instanceof TypeError || error instanceof Unavailable)) throw error;
    await delay(20 + 80 * Math.random());
  }
}

/** Returns the last complete line of the file, if there is one, and removes an incomplete line after it. */
function lastStep(): Step | undefined {
  const text = Deno.readTextFileSync(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  file.truncateSync(new TextEncoder().encode(whole).length);
  const line = whole.trimEnd().split("\n").at(-1)!;
  return line === "" ? undefined : JSON.parse(line) as Step;
}

/** Reads a page and stores its events. @throws TypeError when the connection fails, Unavailable */
async function readOn(): Promise<void> {
  const read = {
    query: JSON.parse(query),
    afterSequence: last?.position ?? 0,
    waitSeconds: Number(waitSeconds),
  };
  const reply = await fetch(url, {
    method: "QUERY",
    body: JSON.stringify(read),
    ...client && { client },
  });
  if (reply.status === 503) throw new Unavailable(await reply.text());
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
  const store = reply.headers.get("X-Service-Store")!;
  if (last !== undefined && last.store !== store) throw new Error("after a reset, positions mean nothing");
  for await (const line of linesOf(reply.body!)) {
    const value = JSON.parse(line);
    if ("sequence" in value) keep({ store, position: value.sequence, event: value });
    else if (!value.hasMore) keepHead({ store, position: Number(reply.headers.get("X-Service-Head")) });
  }
}

/** Returns the complete lines of a response. */
async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

function keep(step: Step): void {
  file.writeSync(new TextEncoder().encode(`${JSON.stringify(step)}\n`));
  last = step;
}

/** Stores the head of a complete page as position: no further event up to this head matches. */
function keepHead(step: Step): void {
  if (step.position > (last?.position ?? 0)) keep(step);
}
