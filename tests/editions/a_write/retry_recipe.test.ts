import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "../../support/client.ts";
import { inDirectory } from "../../support/directory.ts";
import { pageBlock } from "../../support/page_block.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

/* Tests the recipe of docs/retry.md with the code of that page. */

type Enroll = (
  url: string,
  course: string,
  student: string,
  command: string,
) => Promise<"enrolled" | "rejected">;
type Fault = "none" | "request lost" | "answer lost";

async function documentedEnroll(directory: string): Promise<Enroll> {
  const path = join(directory, "enroll.js");
  const first =
    "// enroll.js: enrolls a student in a course with a free seat, once, even if answers are lost.";
  await Deno.writeTextFile(path, pageBlock("retry.md", first));
  const { enroll } = await import(pathToFileURL(path).href);
  return enroll as Enroll;
}

/** Makes `fetch` lose requests and answers until disposal. @param fault called once for each request */
function losing(fault: (method: string) => Fault): Disposable {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const what = fault(init?.method ?? "GET");
    if (what === "request lost") throw new TypeError("the request is lost");
    const response = await real(input, init);
    if (what === "none") return response;
    await response.body?.cancel();
    throw new TypeError("the answer is lost");
  };
  return { [Symbol.dispose]: () => void (globalThis.fetch = real) };
}

async function withRecipe(
  test: (place: { enroll: Enroll; url: string; client: Client; server: ServerProcess }) => Promise<void>,
): Promise<void> {
  await using server = await startServer({
    listen: "tcp",
    listenOnly: true,
    env: { SERVICE_DEV_MODE: "true" },
  });
  const { hostname, port } = server.address as { hostname: string; port: number };
  await inDirectory(async (directory) => {
    const enroll = await documentedEnroll(directory);
    await test({ enroll, url: `http://${hostname}:${port}`, client: server.client(), server });
  });
}

function defineCourse(client: Client, capacity: number): Promise<unknown> {
  const payload = JSON.stringify({ capacity });
  return client.append({ type: "CourseDefined", identifiers: { course: "c1" }, payload });
}

async function commandsOf(client: Client): Promise<unknown[]> {
  const events = await client.allEvents([{ types: ["StudentEnrolled"] }]);
  return events.map(({ metadata }) => metadata["command"]);
}

Deno.test("a command whose answer was lost happens once, also when its own event took the last seat", async () => {
  await withRecipe(async ({ enroll, url, client }) => {
    await defineCourse(client, 1);
    let writes = 0;
    using _losing = losing((method) => method === "POST" && ++writes === 1 ? "answer lost" : "none");
    assert.equal(await enroll(url, "c1", "s1", "one"), "enrolled");
    assert.equal(writes, 2, "it was sent again");
    assert.equal(await enroll(url, "c1", "s1", "one"), "enrolled", "so is one that is given again later");
    assert.equal(await enroll(url, "c1", "s2", "two"), "rejected");
    assert.deepEqual(await commandsOf(client), ["one"]);
  });
});

Deno.test("students who race for the last seats over bad lines get only the free seats, and each learns the result", async () => {
  await withRecipe(async ({ enroll, url, client }) => {
    await defineCourse(client, 3);
    let requests = 0;
    // Every third request or answer is lost.
    const faults = ["none", "answer lost", "none", "none", "request lost", "none"] as const;
    using _losing = losing(() => faults[requests++ % faults.length]!);
    const commands = ["a", "b", "c", "d", "e", "f"];
    const results = await Promise.all(
      commands.map((command) => enroll(url, "c1", `student ${command}`, command)),
    );
    const enrolled = commands.filter((_, i) => results[i] === "enrolled");
    assert.equal(enrolled.length, 3);
    assert.deepEqual((await commandsOf(client)).toSorted(), enrolled);
  });
});

Deno.test("the answers mean what the table says", async () => {
  await withRecipe(async ({ client }) => {
    const own = { failIfEventsMatch: [{ metadata: [{ name: "command", value: "x" }] }] };
    const query = [{ identifiers: [{ name: "course", value: "c1" }] }];
    const conflictOf = async (
      conditions: readonly unknown[],
      events: readonly unknown[] = [],
    ): Promise<unknown> => {
      const reply = await client.write({ conditions, events });
      return reply.status === 409 ? reply.json<{ conflict: unknown }>().conflict : reply.status;
    };
    const enrolled = {
      type: "StudentEnrolled",
      identifiers: { course: "c1" },
      metadata: { command: "x" },
      payload: "",
    };

    // A decision that found no event, in an empty store and in one with events.
    for (const head of ["0", "2"]) {
      const { reply, store } = await client.queryEvents([{ identifiers: [{ name: "course", value: "c9" }] }]);
      assert.equal(reply.headers.get("x-service-head"), head);
      const nothing = {
        failIfEventsMatch: query.with(0, { identifiers: [{ name: "course", value: "c9" }] }),
      };
      assert.equal(await conflictOf([{ ...nothing, afterSequence: Number(head), store }]), 200);
      assert.equal(await conflictOf([{ ...nothing, afterSequence: 0, store }]), 200);
      assert.equal(await conflictOf([nothing]), 200);
      if (head === "0") await client.append({ type: "Other", payload: "" }, { type: "Other", payload: "" });
    }

    const { store, reply } = await client.queryEvents(query);
    const decided = {
      failIfEventsMatch: query,
      afterSequence: Number(reply.headers.get("x-service-head")),
      store,
    };
    assert.equal(await conflictOf([own, decided], [enrolled]), 200);
    assert.deepEqual(
      await conflictOf([own, decided], [enrolled]),
      { condition: 0, sequence: 3 },
      "done before",
    );
    assert.deepEqual(
      await conflictOf([decided, own], [enrolled]),
      { condition: 0, sequence: 3 },
      "the wrong order",
    );
    const other = { failIfEventsMatch: [{ metadata: [{ name: "command", value: "y" }] }] };
    assert.deepEqual(
      await conflictOf([other, decided], [enrolled]),
      { condition: 1, sequence: 3 },
      "somebody else",
    );
    await client.reset();
    assert.deepEqual(await conflictOf([own, decided], [enrolled]), { condition: 1 }, "another store");
  });
});
