import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { oddEvents } from "../backup/odd_events.ts";
import { inDirectory, namesIn } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { pageBlock } from "../support/page_block.ts";
import type { Ended } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { programCommand } from "../support/start_command.ts";
import { runInit } from "./run_init.ts";

function importPlain(directory: string, path: string, stdin?: string): Promise<Ended> {
  const options = stdin === undefined ? {} : { stdin };
  return runInit(directory, ["--import-plain", path, "--data-dir", "data"], options);
}

function assertFailed({ code, stdout, stderr }: Ended, expected: RegExp): void {
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /^eventstore-init: [^\n]+\n$/, "one line");
  assert.match(stderr, expected);
}

function linesOf(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

Deno.test("init --import-plain makes a store of events in the form of a write, from a file or standard input", async () => {
  await inDirectory(async (directory) => {
    const old = { type: "old", identifiers: { b: "2", a: "1" }, metadata: {}, payload: "" };
    const text = linesOf([...oddEvents, { ...old, time: "2001-02-03T05:05:06.7+01:00" }]);
    Deno.writeTextFileSync(join(directory, "events.ndjson"), text);
    const count = oddEvents.length + 1;
    for (const path of ["events.ndjson", "-"]) {
      const before = new Date().toISOString();
      const ended = await importPlain(directory, path, path === "-" ? text : undefined);
      assert.deepEqual([ended.code, ended.stderr], [0, ""]);
      const [, printed, storeId] = /^(.*)\nstore ([0-9a-f-]{36})\n12 events imported\n$/.exec(
        ended.stdout,
      )!;
      const dataDir = join(directory, "data");
      assert.equal(printed, join(dataDir, "events.db"));
      assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
      await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
      const client = server.client();
      assert.equal(await client.storeId(), storeId);
      const imported = await client.allEvents();
      assert.equal(imported.length, count);
      const { sequence, time, ...event } = imported.at(-1)!;
      assert.deepEqual([sequence, time], [count, "2001-02-03T04:05:06.700000Z"]);
      assert.deepEqual(event, old);
      for (const { time } of imported.slice(0, -1)) {
        assert.ok(time >= before.slice(0, 23) && time === imported[0]!.time, time);
      }
      const query = [{ identifiers: [{ name: "a", value: "1" }] }];
      assert.deepEqual((await client.queryEvents(query)).events.at(-1)!.type, "old", "the index is there");
      await server.stop();
      Deno.removeSync(dataDir, { recursive: true });
    }
  });
});

Deno.test("a faulty line is named, no database is created, and an existing one stays as it is", async () => {
  await inDirectory(async (directory) => {
    const good = linesOf(Array.from({ length: 20 }, (_, i) => ({ type: "t", payload: String(i) })));
    const write = (name: string, text: string): void => Deno.writeTextFileSync(join(directory, name), text);
    write("faulty", `${good}{"type":"t"}\n`);
    write("cut", good.slice(0, -5));
    write("gap", `${good}\n${good}`);
    write("empty", "");
    write("good", good);
    const faults = [
      ["missing", /missing cannot be read: No such file/],
      ["faulty", /faulty was not imported: line 21: payload is missing\n$/],
      ["cut", /cut was not imported: line 20: the line is not valid JSON/],
      ["gap", /gap was not imported: line 21: the line is empty\n$/],
      ["empty", /empty was not imported: it holds no events\n$/],
    ] as const;
    for (const [name, expected] of faults) {
      assertFailed(await importPlain(directory, name), expected);
      if (isThere(join(directory, "data"))) {
        assert.deepEqual(namesIn(join(directory, "data")), ["events.lock"]);
      }
    }
    assertFailed(
      await importPlain(directory, "-", "{}\n"),
      /standard input was not imported: line 1: type is missing/,
    );

    assert.equal((await importPlain(directory, "good")).code, 0);
    const path = join(directory, "data/events.db");
    const before = Deno.readFileSync(path);
    assertFailed(
      await importPlain(directory, "good"),
      /data\/events\.db already exists; nothing was changed/,
    );
    assert.deepEqual(Deno.readFileSync(path), before);
  });
});

Deno.test("only one thing can be asked of init", async () => {
  await inDirectory(async (directory) => {
    const { code, stderr } = await runInit(directory, ["--import", "a", "--import-plain", "b"]);
    assert.equal(code, 2);
    assert.match(stderr, /only one of --import, --import-plain, --add-views and --add-subjects can be given/);
    assert.deepEqual(namesIn(directory), []);
  });
});

Deno.test("an import that is killed when a part is in the file leaves no database, and the next one works", async () => {
  await inDirectory(async (directory) => {
    const [program, ...args] = programCommand("init");
    const child = new Deno.Command(program, {
      args: [...args, "--import-plain", "-", "--data-dir", "data"],
      cwd: directory,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const input = child.stdin.getWriter();
    // More than a batch; the end of the file never comes.
    await input.write(
      new TextEncoder().encode(linesOf(Array(12_000).fill({ type: "t", payload: "x".repeat(100) }))),
    );
    const unfinished = join(directory, "data/events.db.new");
    await eventually(() => assert.ok(Deno.statSync(unfinished).size > 1_000_000), 60);
    child.kill("SIGKILL");
    await child.status;
    await input.close().catch(() => {});
    assert.equal(isThere(join(directory, "data/events.db")), false);
    assert.equal((await importPlain(directory, "-", linesOf(oddEvents))).code, 0);
    assert.deepEqual(
      namesIn(join(directory, "data")),
      ["events.db", "events.lock"],
      "remains are cleared away",
    );
  });
});

Deno.test("the lines of docs/import.md are imported as the page says", async () => {
  const lines = pageBlock(
    "import.md",
    '{"type":"CourseDefined","identifiers":{"course":"c1"},"payload":"{\\"capacity\\":30}","time":"2024-02-28T09:30:00Z"}',
  );
  await inDirectory(async (directory) => {
    const { code, stdout } = await importPlain(directory, "-", lines);
    assert.equal(code, 0);
    assert.match(stdout, /\n2 events imported\n$/);
  });
});
