import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eventually } from "../support/eventually.ts";
import { inDirectory } from "../support/directory.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { Shell } from "./shell_address.ts";

/* `verify` against the real server, whose file a test changes, and against servers that lie. */

const ENV = { SERVICE_SUBJECTS: "student" };
const ROOT = /root ([0-9a-f]{64}@\d+)$/m;

const event = (n: number) => ({
  type: "t",
  identifiers: n % 3 === 0 ? { student: `s${n % 7}` } : {},
  payload: `\u00e4 ${n}`,
});

async function append(server: ServerProcess, count: number): Promise<void> {
  for (let n = 0; n < count; n += 100) {
    await server.client().append(...Array.from({ length: Math.min(100, count - n) }, (_, i) => event(n + i)));
  }
}

function inFile<T>(server: ServerProcess, run: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(server.dataDir, "events.db"));
  try {
    return run(db);
  } finally {
    db.close();
  }
}

/** Waits until the server has saved what it hashed: so many blocks, and so many events after them. Then stops it. */
async function stopWithHashed(server: ServerProcess, blocks: number, events: number): Promise<void> {
  await eventually(() => {
    const { roots, last } = JSON.parse(savedRoots(server));
    assert.deepEqual([roots.length, last.count], [blocks, events]);
  }, 30);
  assert.equal((await server.stop()).code, 0);
}

const SAVED = "WHERE type = x'' AND id = CAST('roots/0' AS BLOB)";

/** The saved roots as JSON. */
function savedRoots(server: ServerProcess): string {
  const row = inFile(server, (db) => db.prepare(`SELECT payload FROM projection ${SAVED}`).get());
  assert.ok(row !== undefined, "no root is saved yet");
  return new TextDecoder().decode(row["payload"] as Uint8Array);
}

const BASE64 = /^[A-Za-z0-9+/]+$/;

/** Changes one bit of the stored body of an event, without any trace in its form. Done twice, it changes nothing. */
function flipBit(server: ServerProcess, sequence: number): void {
  inFile(server, (db) => {
    const row = db.prepare("SELECT body FROM event WHERE sequence = ?").get(sequence)!;
    const body = String(row["body"]);
    // The last character before the end of the payload or of the sealed data.
    let at = body.lastIndexOf(body.includes('"sealed"') ? '"}' : '"') - 4;
    const flipped = (): string => String.fromCharCode(body.charCodeAt(at) ^ 1);
    while (!BASE64.test(body[at]! + flipped())) at--;
    const changed = `${body.slice(0, at)}${flipped()}${body.slice(at + 1)}`;
    assert.notEqual(changed, body);
    db.prepare("UPDATE event SET body = ? WHERE sequence = ?").run(changed, sequence);
  });
}

Deno.test("a changed bit in a stored event is noticed, and the block of the event is named", async () => {
  await using server = await startServer({ listen: "unix", env: ENV });
  await append(server, 2600);
  const shell = new Shell(server.address);
  assert.match(await shell.prints(["verify"]), /^verified: all 2600 events; root [0-9a-f]{64}@2600\n$/);
  await inDirectory(async (directory) => {
    const witness = join(directory, "witness");
    await shell.prints(["verify", "--witness", witness]);
    await stopWithHashed(server, 2, 552);
    flipBit(server, 1501);
    await server.start();
    await shell.fails(
      ["verify"],
      8,
      /an event from 1025 to 2048 has changed since the server computed their root$/m,
    );
    await shell.fails(
      ["verify", "--sequence", "1501"],
      8,
      /event 1501: the proof does not lead to [0-9a-f]{64}@2600/,
    );
    await shell.prints(["verify", "--sequence", "1"]);
    const whole = /an event from 1 to 2600 has changed since \S+witness: line 1$/m;
    await shell.fails(["verify", "--witness", witness, "--whole"], 8, whole);
    assert.equal((await Deno.readTextFile(witness)).split("\n").length, 2, "a failed check appends nothing");

    flipBit(server, 1501);
    await shell.prints(["verify"]);
    flipBit(server, 2599);
    const afterBlocks = /an event from 2049 to 2600 has changed since the server computed their root$/m;
    await shell.fails(["verify"], 8, afterBlocks);
    await append(server, 500);
    await shell.fails(["verify"], 8, /an event from 2049 to 3072 has changed/);
    await shell.fails(
      ["verify", "--witness", witness],
      8,
      /an event up to 2600 has changed since \S+witness: line 1/,
    );
  });
});

function changeRoots(server: ServerProcess, change: (text: string) => string): void {
  const text = savedRoots(server);
  assert.notEqual(change(text), text);
  const changed = new TextEncoder().encode(change(text));
  inFile(server, (db) => db.prepare(`UPDATE projection SET payload = ? ${SAVED}`).run(changed));
}

Deno.test("a changed bit in a saved root is noticed, and its block or the damaged roots are named", async () => {
  await using server = await startServer({ listen: "unix", env: ENV });
  await append(server, 2050);
  const shell = new Shell(server.address);
  await shell.prints(["verify"]);
  await stopWithHashed(server, 2, 2);
  const right = savedRoots(server);
  const ofBlock = /[0-9a-f](?="\],"last")/;
  const ofLast = /[0-9a-f](?="\]\}\}$)/;
  for (const [digit, events] of [[ofBlock, "1025 to 2048"], [ofLast, "2049 to 2050"]] as const) {
    changeRoots(server, () => right.replace(digit, (found) => found === "0" ? "1" : "0"));
    await server.start();
    const words = new RegExp(
      `an event from ${events} has changed since the server computed their root$`,
      "m",
    );
    await shell.fails(["verify"], 8, words);
    assert.equal((await server.stop()).code, 0);
  }
  changeRoots(server, () => right.replace(ofLast, "p"));
  await server.start();
  await shell.fails(["verify"], 1, /unexpected server error/);
  const damaged = /the saved roots of events 1 to 131072 are damaged/;
  await eventually(() => assert.match(server.stderr, damaged));
});

Deno.test("--witness appends a line after it has checked the last one, and --continues checks any root", async () => {
  await using server = await startServer({ listen: "unix", env: { ...ENV, SERVICE_DEV_MODE: "true" } });
  const shell = new Shell(server.address);
  await inDirectory(async (directory) => {
    const witness = join(directory, "witness");
    assert.match(await shell.prints(["verify", "--witness", witness]), /the first witness of 0 events/);
    const roots: string[] = [];
    for (const count of [3, 1100, 5]) {
      await append(server, count);
      roots.push(ROOT.exec(await shell.prints(["verify", "--witness", witness]))![1]!);
    }
    const lines = (await Deno.readTextFile(witness)).trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ head }) => head), [0, 3, 1103, 1108]);
    assert.deepEqual(lines.slice(1).map(({ root, head }) => `${root}@${head}`), roots);
    assert.ok(lines.every(({ time }) => Math.abs(Date.parse(time) - Date.now()) < 60_000));
    await shell.prints(["verify", "--witness", witness, "--whole"]);
    for (const root of roots) {
      await shell.prints(["verify", "--continues", root]);
      await shell.prints(["verify", "--continues", root, "--whole", "--json"]);
      await shell.prints(["verify", "--sequence", "2", "--continues", root]);
    }
    const other = roots[1]!.replace(/^./, (digit) => digit === "0" ? "1" : "0");
    await shell.fails(
      ["verify", "--continues", other],
      8,
      /an event up to 1103 has changed since --continues/,
    );
    await shell.fails(["verify", "--continues", other, "--whole"], 8, /event from 1 to 1103 has changed/);
    await shell.fails(
      ["verify", "--sequence", "2", "--continues", other],
      8,
      /event 2: the proof does not lead/,
    );
    const later = roots[2]!.replace("@1108", "@2000");
    await shell.fails(["verify", "--continues", later], 8, /events are missing: the store ends at 1108/);
    await shell.fails(["verify", "--sequence", "1", "--continues", later], 8, /events are missing/);
    await shell.fails(["verify", "--continues", "x@1"], 2, /--continues: must be 64 hexadecimal digits/);
    await shell.fails(["verify", "--sequence", "1", "--whole"], 2, /--sequence stands alone/);

    await Deno.writeTextFile(witness, '{"time":', { append: true });
    await shell.fails(["verify", "--witness", witness], 2, /witness: line 6: it has no line feed/);
    await Deno.writeTextFile(witness, "\n", { append: true });
    await shell.fails(["verify", "--witness", witness], 2, /witness: line 6: must be JSON with/);
    await Deno.writeTextFile(witness, `${JSON.stringify(lines.at(-1))}\n`);
    assert.equal((await server.client().request("POST", "/reset")).status, 204);
    await append(server, 2000);
    await shell.fails(
      ["verify", "--witness", witness],
      8,
      /this is store \S+, and that of \S+ line 1 was \S+$/m,
    );
  });
});

Deno.test("what a server claims is never believed: other events, other paths, missing events", async () => {
  await using server = await startServer({ listen: "unix", env: ENV });
  await append(server, 1300);
  type Change = (target: string, text: string) => string;
  const liesAs = async (change: Change, args: readonly string[], words: RegExp): Promise<void> => {
    await using liar = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = new Uint8Array(await request.arrayBuffer());
      const reply = await server.client().request(request.method, pathname + search, { body });
      const headers = Object.fromEntries([...reply.headers].filter(([name]) => name.startsWith("x-service")));
      return new Response(change(pathname, reply.text), { status: reply.status, headers });
    });
    const shell = new Shell({ transport: "tcp", hostname: "127.0.0.1", port: liar.addr.port });
    if (words.source === "verified") assert.match(await shell.prints(args), words);
    else await shell.fails(args, 8, words);
  };
  const events = (change: (text: string) => string): Change => (target, text) =>
    target === "/events/stored" ? change(text) : text;
  const proof = (change: (text: string) => string): Change => (target, text) =>
    target === "/proof" ? change(text) : text;
  const flipRoot = (text: string): string =>
    text.replace(/"root":"(.)/, (_, d) => `"root":"${d === "0" ? "1" : "0"}`);
  const flipPath = (text: string): string =>
    text.replace(/"path":\["(.)/, (_, d) => `"path":["${d === "0" ? "1" : "0"}`);
  const earlier = ROOT.exec(await new Shell(server.address).prints(["verify"]))![1]!;
  await append(server, 100);

  await liesAs((_, text) => text, ["verify"], /verified/);
  await liesAs(
    events((text) => text.replace(/\{"sequence":700,.*\n/, "")),
    ["verify"],
    /event 700 is missing/,
  );
  await liesAs(
    events(() => '{"hasMore":false}\n'),
    ["verify"],
    /event 1 is missing: the server sent no event/,
  );
  const changed = events((text) => text.replace(/(\{"sequence":1200,.*"type":")t/, "$1u"));
  await liesAs(changed, ["verify"], /an event from 1025 to 1400 has changed/);
  await liesAs(proof(flipRoot), ["verify"], /an event from 1 to 1024 has changed/);
  await liesAs(proof(flipRoot), ["verify", "--sequence", "5"], /event 5: the proof does not lead/);
  await liesAs(proof(flipPath), ["verify", "--sequence", "5"], /event 5: the proof does not lead/);
  const otherEvent = proof((text) => text.replace('\\"type\\":\\"t', '\\"type\\":\\"u'));
  await liesAs(otherEvent, ["verify", "--sequence", "5"], /event 5: the proof does not lead/);
  await liesAs(proof((text) => text.replace('\\"sequence\\":5', '\\"sequence\\":6')), [
    "verify",
    "--sequence",
    "5",
  ], /another event/);
  await liesAs(proof(flipPath), ["verify", "--continues", earlier], /an event up to 1300 has changed/);
  await liesAs(proof(flipRoot), ["verify", "--continues", earlier], /an event up to 1300 has changed/);
  await liesAs(proof(() => "{}"), ["verify"], /an answer that is no proof/);
});
