/*
 * Follows the events of a server, as a user's program would: it reads, waits, and reads on where it stopped.
 *   deno run follower.ts <http://host:port, or the path of a unix socket> <file> <query> <seconds to wait>
 * Each event becomes a line of the file, together with the position that it leads to. One write keeps both, so that
 * nothing is lost and nothing is there twice, whenever this program is killed.
 */

/** A line of the file. Without an event: nothing that matches comes between the position before and this one. */
export interface Step {
  readonly store: string;
  /** The sequence after which to read on. */
  readonly position: number;
  readonly event?: { readonly sequence: number; readonly payload: string };
}

/** The server has too much to do, or is about to stop. */
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
    // As a TypeError, a fetch fails.
    if (!(error instanceof TypeError || error instanceof Unavailable)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 20 + 80 * Math.random()));
  }
}

/** The last line of the file, if there is one. Of a line that a kill has cut off, the beginning is taken away. */
function lastStep(): Step | undefined {
  const text = Deno.readTextFileSync(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  file.truncateSync(new TextEncoder().encode(whole).length);
  const line = whole.trimEnd().split("\n").at(-1)!;
  return line === "" ? undefined : JSON.parse(line) as Step;
}

/** Reads a page and keeps what is on it. @throws TypeError when the server is away or goes away, Unavailable */
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

/** The complete lines of a response. */
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

/** After a page to its end: no event that matches, up to its head, is still to come. */
function keepHead(step: Step): void {
  if (step.position > (last?.position ?? 0)) keep(step);
}
