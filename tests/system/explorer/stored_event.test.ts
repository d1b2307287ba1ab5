import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { forwardingTo } from "../../../explorer/server/forward.ts";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { placeOf } from "../../client/support.ts";
import { tokenToml } from "../../support/tokens.ts";
import { exploredTest, pressButton, says, textOf } from "./explored.ts";

/*
 * An open event of a store with subjects: how it is stored, and the proof that the root of the store covers it.
 */

const BUTTONS = "[...document.querySelectorAll(\"[aria-label='In the store'] .part-head button\")]" +
  ".map((button) => button.textContent)";
const EVENTS = 1100;

const config = `[server]\nenableAuth = true\nsubjects = ["student"]\n${
  tokenToml("all", "all", ["read", "write", "copy", "forget"]) + tokenToml("reads", "reads", ["read"]) +
  tokenToml("part", "part", ["read"], 'within = { student = "s1" }\n')
}`;

await exploredTest(
  "an open event shows its stored form and proves that the root covers it, until the file has changed",
  { server: { config } },
  async ({ server, openWith }) => {
    const explorerOf = (token: string) => startExplorer({ store: { ...placeOf(server.address), token } });
    const client = server.client({ authorization: "Bearer all" });
    const event = (i: number) => ({
      type: "Enrolled",
      identifiers: i === 1 ? { student: "s1", course: "c1" } : { course: "c1" },
      payload: `{"name":"Ada ${i}"}`,
    });
    for (let i = 1; i <= EVENTS; i += 100) {
      await client.append(...Array.from({ length: 100 }, (_, k) => event(i + k)));
    }
    {
      await using explorer = explorerOf("all");
      await using page = await openWith(explorer, "/events?open=1");
      await page.until(`${BUTTONS}.join() === "As stored,Prove"`);
      await page.evaluate(pressButton("As stored"));
      await page.until(`${textOf('[aria-label="stored line"]')}?.includes('"sealed": {') === true`);
      assert.match(
        await page.evaluate(textOf('[aria-label="In the store"]')),
        /is encrypted for student \(key [\w-]{16}\)/,
      );
      assert.match(await page.evaluate(textOf(".panel .payload")), /Ada 1/);
      await page.evaluate(pressButton("Prove"));
      await page.until(says("Covered by this root"));
      const { root } = (await client.request("GET", "/proof")).json<{ root: string }>();
      assert.match(
        await page.evaluate(textOf('[aria-label="In the store"]')),
        new RegExp(`${root}Head${EVENTS}`),
      );
      assert.deepEqual(page.problems, []);
    }
    const identifier = { name: "student", value: "s1" };
    assert.equal((await client.request("POST", "/forget", { json: { identifier } })).status, 200);
    using file = new DatabaseSync(server.databasePath);
    file.exec("UPDATE event SET body = replace(body, 'Ada 500', 'Eve 500') WHERE sequence = 500");
    {
      await using explorer = explorerOf("reads");
      // The path of each event of the first block leads through event 500. The server remembers the root of the block.
      await using page = await openWith(explorer, "/events?open=1");
      await page.until(
        `${BUTTONS}.join() === "Prove" && ${textOf(".panel .payload")} === "forgotten: student"`,
      );
      await page.evaluate(pressButton("Prove"));
      await page.until(says("not proved: the event does not lead to the root of the store"));
      await page.evaluate('location.hash = "#/events?open=500"');
      await page.until(`${textOf(".panel .payload")}.includes("Eve 500")`);
      await page.evaluate(pressButton("Prove"));
      await page.until(says("not proved: the event does not lead to the root of the store"));
      // The path of an event behind the block leads through that root only.
      await page.evaluate('location.hash = "#/events?open=1100"');
      await page.until(`${textOf(".panel .payload")}.includes("Ada 1100")`);
      await page.evaluate(pressButton("Prove"));
      await page.until(says("Covered by this root"));
      assert.deepEqual(page.problems, []);
    }
    await using explorer = explorerOf("part");
    await using page = await openWith(explorer, "/events?open=1");
    await page.until(`${textOf(".panel .payload")} === "forgotten: student"`);
    assert.deepEqual(await page.evaluate(BUTTONS), []);
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "a store that has not hashed enough for a proof yet says so, and stays connected",
  { server: { env: { SERVICE_SUBJECTS: "student" } } },
  async ({ server, openWith }) => {
    await server.client().append({ type: "Enrolled", payload: "p" });
    const message = "the server has hashed the events up to 0 of 4096; try again later";
    const { forward } = forwardingTo(placeOf(server.address));
    await using behind = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname !== "/proof") return forward(request, pathname + search);
      return Response.json({ error: "Unavailable", message }, { status: 503 });
    });
    await using explorer = startExplorer({ store: { url: `http://127.0.0.1:${behind.addr.port}` } });
    await using page = await openWith(explorer, "/events?open=1");
    await page.until(says("In the store"));
    await page.evaluate(pressButton("Prove"));
    await page.until(says(message));
    assert.equal(await page.evaluate(textOf(".state")), "connected");
    assert.equal(await page.evaluate("document.querySelector('.banner').hidden"), true);
  },
);
