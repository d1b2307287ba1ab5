import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import deno from "../../../deno.json" with { type: "json" };
import { EventStore } from "../../../client/mod.ts";
import { run } from "../../../tools/build/run.ts";
import { listed, placeOf, startTestServer } from "../../client/support.ts";
import { inDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { Chromium } from "../support/chromium.ts";
import { debianTest } from "../support/debian_program.ts";
import { packedClient } from "../support/packed_client.ts";
import { pythonProgram, pythonTest } from "../support/python_tools.ts";

/** As the task `example` runs a file. */
const TASK_ARGS = deno.tasks.example.command.split(" ").slice(1);

/* The samples of examples/web/, each as a process of its own on the real server. */

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WEB = join(ROOT, "examples/web");

/** A sample that listens at a URL, and the client of its store. */
interface Sample {
  readonly url: string;
  readonly store: EventStore;
}

/** Starts a sample as its header says, and calls the test once it answers. */
async function withSample(
  command: (store: string, port: string) => readonly [program: string, ...args: string[]],
  test: (sample: Sample) => Promise<void>,
  options: { readonly cwd?: string; readonly env?: (store: string) => Record<string, string> } = {},
): Promise<void> {
  await using server = await startTestServer();
  const place = placeOf(server.address).url!;
  const port = freePort();
  const [program, ...args] = command(place, String(port));
  const child = new Deno.Command(program, {
    args,
    cwd: options.cwd ?? ROOT,
    env: options.env?.(place) ?? {},
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => {
      await (await fetch(`${url}/nowhere`)).body?.cancel();
    }, 30);
    await test({ url, store: new EventStore({ url: place }) });
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

/** Books a seat. @returns the status, and the body as text */
async function book(url: string, booking: unknown): Promise<readonly [status: number, body: string]> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/bookings`, { method: "POST", headers, body: JSON.stringify(booking) });
  return [answer.status, await answer.text()];
}

/** Bookings through a sample, whose framework answers a wrong body with this status. */
async function assertBooks({ url, store }: Sample, wrong: number): Promise<void> {
  const booking = { show: "Hamlet", seat: "A1", guest: "Ada" };
  assert.deepEqual(await book(url, booking), [201, '{"show":"Hamlet","seat":"A1"}']);
  assert.equal((await book(url, booking))[0], 201, "the same booking again");
  const [status, body] = await book(url, { ...booking, guest: "Bob" });
  assert.equal(status, 409);
  assert.match(body, /seat A1 of Hamlet is taken/);
  for (const faulty of [{}, { ...booking, seat: "" }, { ...booking, guest: 1 }, "Hamlet"]) {
    assert.equal((await book(url, faulty))[0], wrong, JSON.stringify(faulty));
  }
  const guests = Array.from({ length: 10 }, (_, i) => `guest ${i}`);
  const statuses = await Promise.all(
    guests.map(async (guest) => (await book(url, { show: "Hamlet", seat: "A2", guest }))[0]),
  );
  assert.equal(statuses.filter((status) => status === 201).length, 1, String(statuses));
  assert.ok(statuses.every((status) => [201, 409, 503].includes(status)), String(statuses));
  const events = await listed(store.readAll("*"));
  assert.deepEqual(events.map(({ identifiers }) => identifiers), [
    { show: "Hamlet", seat: "A1" },
    { show: "Hamlet", seat: "A2" },
  ]);
}

/** The seats of a show, which another program has booked too. */
async function assertLists({ url, store }: Sample): Promise<void> {
  await store.append({
    type: "SeatBooked",
    identifiers: { show: "Lear", seat: "B1" },
    payload: { guest: "Eve" },
  });
  assert.deepEqual(await (await fetch(`${url}/shows/Lear`)).json(), { B1: "Eve" });
  assert.deepEqual(await (await fetch(`${url}/shows/Other`)).json(), {});
}

await debianTest(
  ["chromium"],
  "the sample with Hono books seats, and its page shows each booking once, also after it connects again",
  async ({ chromium }) => {
    const command = (store: string, port: string) =>
      [Deno.execPath(), ...TASK_ARGS, "examples/web/hono.ts", store, port] as const;
    await withSample(command, async (sample) => {
      await assertBooks(sample, 400);
      const { url, store } = sample;
      const [first] = await messages(url, 1);
      const [second] = await messages(url, 1, first!.id);
      assert.deepEqual([first!.data.seat, second!.data.seat], ["A1", "A2"]);
      const wrong = await fetch(`${url}/live`, { headers: { "last-event-id": "7" } });
      await wrong.body?.cancel();
      assert.equal(wrong.status, 400);

      await using browser = await Chromium.start(chromium);
      await using page = await browser.open(url);
      const shown = () =>
        page.evaluate("[...document.querySelectorAll('li, p')].map((one) => one.textContent)");
      await eventually(async () => assert.deepEqual(await shown(), ["", "Hamlet A1", "Hamlet A2"]), 30);
      await store.append({
        type: "SeatBooked",
        identifiers: { show: "Lear", seat: "B1" },
        payload: { guest: "Eve" },
      });
      await eventually(async () => assert.ok((await shown() as string[]).includes("Lear B1")), 30);
      await page.evaluate("document.forms[0].guest.value = 'Bob'; document.forms[0].requestSubmit()");
      await eventually(async () => {
        assert.equal((await shown() as string[])[0], "seat A1 of Hamlet is taken");
      }, 30);
    });
  },
);

/** The next messages of the page's stream, as a browser gets them. */
async function messages(
  url: string,
  count: number,
  lastId?: string,
): Promise<{ readonly id: string; readonly data: { readonly show: string; readonly seat: string } }[]> {
  const headers: HeadersInit = lastId === undefined ? {} : { "last-event-id": lastId };
  const { body } = await fetch(`${url}/live`, { headers, signal: AbortSignal.timeout(30_000) });
  let text = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split("\n\n").length > count) break;
  }
  return text.split("\n\n").slice(0, -1).map((message) => {
    const fields = new Map(
      message.split("\n").map((line) => {
        const colon = line.indexOf(": ");
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    return { id: fields.get("id")!, data: JSON.parse(fields.get("data")!) };
  });
}

Deno.test("the sample with Express books seats, and lists those of a show", async () => {
  await inDirectory(async (directory) => {
    const program = await Deno.readTextFile(join(WEB, "express.js"));
    await Deno.writeTextFile(join(directory, "express.js"), program);
    await Deno.writeTextFile(join(directory, "package.json"), '{ "type": "module", "private": true }');
    const install = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
    const packages = program.match(/(express|zod)@[\d.]+/g)!;
    await run("npm", [...install, await packedClient(), ...packages], { cwd: directory });
    await withSample((store, port) => ["node", "express.js", store, port], async (sample) => {
      await assertBooks(sample, 400);
      await assertLists(sample);
    }, { cwd: directory });
  });
});

pythonTest("the sample with FastAPI books seats, and lists those of a show", async () => {
  const uvicorn = await pythonProgram("fastapi", "uvicorn");
  const env = (store: string) => ({
    EVENTSTORE_URL: store,
    PYTHONPATH: join(ROOT, "integrations/python"),
    PYTHONDONTWRITEBYTECODE: "1",
  });
  await withSample(
    (_, port) => [uvicorn, "--app-dir", WEB, "fastapi_app:app", "--port", port],
    async (sample) => {
      await assertBooks(sample, 422);
      await assertLists(sample);
    },
    { env },
  );
});
