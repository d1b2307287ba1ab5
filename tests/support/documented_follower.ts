import assert from "node:assert/strict";
import type { EventLine } from "./client.ts";
import type { Address } from "./connection.ts";
import { inDirectory } from "./directory.ts";
import { eventually } from "./eventually.ts";
import { debugSnapshot } from "./held_write_lock.ts";
import { chunkOf, ScriptedUpstream, sendText } from "./scripted_upstream.ts";
import { type ServerProcess, startServer } from "./server_process.ts";

/** A loop of docs/following.md, as its reader would start it. */
export interface DocumentedLoop {
  /** The file that it is saved as. */
  readonly name: string;
  readonly text: string;
  /** The command that runs the file. Its last arguments are the name of the file and the URL of the server. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** Longer than a loop waits for events, whatever it has missed. */
const PRINTED_SECONDS = 60;

/**
 * Runs a loop while a server is killed and started again, kills the loop itself, and resets the store. The loop must
 * print each event of the first store, then each of the second, once and in order.
 */
export async function followThroughKills(loop: DocumentedLoop): Promise<void> {
  const env = { SERVICE_DEV_MODE: "true" };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  await inDirectory(async (directory) => {
    const client = server.client();
    const printed: EventLine[] = [];
    const expected: EventLine[] = [];
    const write = async (...payloads: string[]): Promise<void> => {
      const before = await client.allEvents();
      await client.append(
        ...payloads.map((payload) => ({ type: "t", identifiers: { a: ["1", "2"] }, payload })),
      );
      expected.push(...(await client.allEvents()).slice(before.length));
    };
    await write("1", 'a "quoted"\nline\\', "3");
    {
      await using first = new Follower(loop, directory, server.address);
      await first.prints(expected);
      await server.kill();
      await server.start();
      await write("4", "5");
      await first.prints(expected);
      await waits(server);
      printed.push(...first.printed);
    }
    await write("6");
    await using second = new Follower(loop, directory, server.address);
    await second.prints(expected.slice(printed.length));
    await waits(server);
    await client.reset();
    await write("1 of another store", "2 of another store");
    await second.prints(expected.slice(printed.length));
    await waits(server);
    await second.prints(expected.slice(printed.length));
  });
}

/** Waits until a loop waits for events: by then it has saved its position. */
async function waits(server: ServerProcess): Promise<void> {
  await eventually(async () => {
    assert.equal((await debugSnapshot(server.client())).read.waiting, 1);
  }, PRINTED_SECONDS);
}

const LINES = [1, 2, 3].map((sequence) => JSON.stringify({ sequence, payload: `${sequence}` }) + "\n");

/** Breaks off a page in the middle of a line: a loop must print each event once and in order. */
export async function followThroughBrokenPage(loop: DocumentedLoop): Promise<void> {
  let pages = 0;
  using upstream = new ScriptedUpstream(async ({ body }, conn) => {
    const { afterSequence } = JSON.parse(body) as { afterSequence: number };
    const page = LINES.slice(afterSequence).join("") + '{"hasMore":false}\n';
    await sendText(
      conn,
      "HTTP/1.1 200 OK\r\nX-Service-Store: 0a1b-2c\r\nX-Service-Head: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    // The first page identifies the store to the loop. Two of the pages that it uses after that break off, in
    // different places.
    const cutAt = [undefined, LINES[0]!.length + 5, 5][pages++];
    await sendText(conn, chunkOf(page.slice(0, cutAt)));
    if (cutAt !== undefined) return false;
    await sendText(conn, "0\r\n\r\n");
    return true;
  });
  await inDirectory(async (directory) => {
    const events = LINES.map((line) => JSON.parse(line) as EventLine);
    await using follower = new Follower(loop, directory, upstream.address);
    await follower.prints(events);
    const pagesSoFar = pages;
    await eventually(() => assert.ok(pages > pagesSoFar + 1), PRINTED_SECONDS);
    await follower.prints(events);
  });
}

/**
 * The store goes back to an earlier state with the same store ID: a loop must begin anew, whatever it has printed.
 */
export async function followThroughLowerHead(loop: DocumentedLoop): Promise<void> {
  let head = LINES.length;
  using upstream = new ScriptedUpstream(async ({ body }, conn) => {
    const { afterSequence } = JSON.parse(body) as { afterSequence: number };
    const page = LINES.slice(afterSequence, head).join("") + '{"hasMore":false}\n';
    await sendText(
      conn,
      `HTTP/1.1 200 OK\r\nX-Service-Store: 0a1b-2c\r\nX-Service-Head: ${head}\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
    );
    return true;
  });
  await inDirectory(async (directory) => {
    const events = LINES.map((line) => JSON.parse(line) as EventLine);
    await using follower = new Follower(loop, directory, upstream.address);
    await follower.prints(events);
    head = 2;
    await follower.prints([...events, ...events.slice(0, 2)]);
  });
}

/** A running loop, until it is disposed of: then it is killed, with everything that it has started. */
class Follower implements AsyncDisposable {
  readonly printed: EventLine[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #reading: Promise<void>;

  constructor({ name, text, command, env }: DocumentedLoop, directory: string, address: Address) {
    if (address.transport !== "tcp") throw new Error("the loops of the page take a URL");
    Deno.writeTextFileSync(`${directory}/${name}`, text);
    const [program, ...args] = command;
    this.#child = new Deno.Command(program, {
      args: [...args, name, `http://127.0.0.1:${address.port}`],
      cwd: directory,
      env: { ...env },
      // A group of its own, which can be killed as a whole.
      detached: true,
      stdin: "null",
      stdout: "piped",
      // It prints a line for every connection that fails.
      stderr: "null",
    }).spawn();
    this.#reading = this.#collect();
  }

  /** Waits until it has printed these events and no others. */
  async prints(events: readonly EventLine[]): Promise<void> {
    await eventually(() => assert.deepEqual(this.printed, events), PRINTED_SECONDS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Deno.kill(-this.#child.pid, "SIGKILL");
    await this.#child.status;
    await this.#reading;
  }

  async #collect(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.printed.push(JSON.parse(line) as EventLine);
    }
  }
}
