import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { EVENT, exploredTest, pressButton, ROWS, says, textOf, write } from "./explored.ts";

/*
 * The other views, on each edition.
 */

await exploredTest("a restart and a reset of the server show, and pass", {}, async ({ server, open }) => {
  await write(server, EVENT, EVENT);
  await using page = await open();
  await page.until(`${ROWS} === 2`);
  await page.evaluate('document.querySelector(".row").isTheSame = true');
  await server.stop();
  await page.until(`${says("does not answer")} && ${says("not connected")}`);
  assert.equal(await page.evaluate(ROWS), 2);
  assert.equal(await page.evaluate(textOf(".live")), "Not live");
  const sentence = await page.evaluate<string>(textOf(".banner"));
  assert.match(
    sentence,
    /^The store at .* does not answer: .*\. Until it answers, the page shows what it had\.$/,
  );
  await server.start();
  await page.until('document.querySelector(".banner").hidden');
  await page.until(`${textOf(".live")} === "Live"`);
  await write(server, EVENT);
  await page.until(`${ROWS} === 3`);
  // Nothing was read anew, so that readers do not lose their place.
  assert.equal(await page.evaluate('document.querySelectorAll(".row")[1].isTheSame'), true);
  await server.client().request("POST", "/reset");
  await page.until(says("No events yet"));
  await write(server, { ...EVENT, type: "AfterTheReset" });
  await page.until(`${ROWS} === 1 && ${says("AfterTheReset")}`);
});

await exploredTest(
  "a reset that another view has noticed shows in the events",
  {},
  async ({ server, open }) => {
    await write(server, EVENT);
    await using page = await open("/events?open=1");
    await page.until(`${textOf(".panel h2")} === ${JSON.stringify(EVENT.type)}`);
    await page.evaluate('location.hash = "#/health"');
    await page.until('document.querySelectorAll(".tile").length > 3');
    await server.client().request("POST", "/reset");
    await write(server, { ...EVENT, type: "AfterTheReset" });
    await page.evaluate('location.hash = "#/projections?projection=any&id=any"');
    await page.until(says("was reset or replaced"));
    await page.evaluate('location.hash = "#/events?open=1"');
    await page.until(`${textOf(".panel h2")} === "AfterTheReset"`);
  },
);

await exploredTest(
  "projections are listed, with the lag of their projectors, and lead to their states",
  {},
  async ({ server, open }) => {
    await write(server, EVENT, EVENT, EVENT);
    const storeId = await server.client().storeId();
    const row = (id: string, value: unknown): unknown => ({
      type: "seats",
      id,
      payload: JSON.stringify(value),
    });
    const create = [
      row("_checkpoint", { checkpoint: { storeId, sequence: 1 } }),
      ...Array.from({ length: 120 }, (_, i) => row(`show-${i}`, { free: i })),
    ];
    await server.client().request("POST", "/write", { json: { projections: { create } } });
    const lines = 'document.querySelectorAll(".projection-list tbody tr").length';
    await using page = await open("/projections");
    await page.until(`${lines} === 100`);
    await page.until(`${textOf(".projection-list tbody tr")} === "seats_checkpoint94 B2"`);
    await page.evaluate(pressButton("More"));
    await page.until(`${lines} === 121 && !${says("More")}`);
    await page.evaluate(pressButton("show-7"));
    await page.until(says('"free": 7'));
    await page.evaluate('location.hash = "#/projections?projection=none"');
    await page.until(says("There is none of type none."));
    await page.evaluate('location.hash = "#/projections?projection=seats"');
    await page.until(`${lines} === 100`);
  },
);

await exploredTest("what is pressed twice is read once", {}, async ({ server, open }) => {
  const hundred = Array.from({ length: 100 }, () => ({ ...EVENT, identifiers: { order: "o1" } }));
  for (const events of [hundred, hundred, hundred.slice(50)]) await write(server, ...events);
  await using page = await open("/trace?trace=order%3Do1");
  const items = 'document.querySelectorAll(".story-item").length';
  await page.until(`${items} === 200`);
  const more = pressButton("Show 200 more");
  await page.evaluate(`for (let i = 0; i < 3; i++) ${more}`);
  await page.until(`${items} >= 250`);
  await page.evaluate("fetch('/page.css').then((reply) => reply.text())");
  assert.equal(await page.evaluate(items), 250);
  // A reader who leaves the health and comes back while it is read does not make the page poll twice as often.
  await page.evaluate(`
    const own = globalThis.fetch;
    globalThis.held = [];
    globalThis.fetch = async (path, options) => {
      if (path === "/store/debug") await new Promise((resolve) => held.push(resolve));
      return await own(path, options);
    };`);
  for (const key of ["5", "1", "5"]) await page.press(key);
  await page.until("held.length === 2");
  await page.evaluate("held.splice(0).forEach((resume) => resume())");
  await page.until("held.length > 0");
  await delay(1500);
  assert.equal(await page.evaluate("held.length"), 1);
});

await exploredTest(
  "the page does not wait for events of a query that the store rejects",
  {},
  async ({ server, open }) => {
    await write(server, EVENT);
    await using page = await open();
    await page.until(`${ROWS} === 1`);
    await page.evaluate(`
    const own = globalThis.fetch;
    globalThis.rejected = [];
    globalThis.fetch = async (path, options) => {
      if (!options.body?.includes("Refused")) return await own(path, options);
      rejected.push(options.body);
      return new Response('{"error":"InvalidRequest","message":"not this"}', { status: 400 });
    };`);
    await page.evaluate('location.hash = "#/events?type=Refused"');
    await page.until(says("The events could not be read"));
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    assert.equal(await page.evaluate("rejected.length"), 1);
  },
);

for (const edition of ["A", "B", "C"] as const) {
  await exploredTest(`edition ${edition}: a conditional write by hand, its conflict, and the health`, {
    server: { env: { SERVICE_EDITION: edition } },
    explorer: { allowWrites: true },
  }, async ({ server, open }) => {
    await using page = await open("/try");
    await page.until(says(`edition ${edition}`));
    const send = async (index: number): Promise<void> => {
      await page.evaluate(`document.querySelectorAll(".try-part .strong")[${index}].click()`);
      await page.until(
        'document.querySelectorAll(".exchange").length > 0 && document.querySelector("[aria-busy]") === null',
      );
    };
    const statuses =
      '[...document.querySelectorAll(".status")].map(({ textContent }) => Number(textContent))';
    await send(1);
    assert.deepEqual(
      await page.evaluate(statuses),
      { A: [200], B: [200, 200, 200, 204], C: [200, 200, 204] }[edition],
    );
    if (edition !== "B") {
      await send(1);
      assert.equal((await page.evaluate<number[]>(statuses)).at(-1), 409);
      await page.until(says("ConcurrencyException"));
    }
    await send(0);
    await page.until(says('"type":"Noted"'));
    await page.evaluate('location.hash = "#/health"');
    await page.until('document.querySelectorAll(".tile").length > 3');
    await page.until(
      '[...document.querySelectorAll(".now-card")].some((card) => /^Writing now\\s+nothing/.test(card.innerText))',
    );
    assert.equal(await page.evaluate(says("normal")), edition !== "A");
    const groups =
      '[...document.querySelectorAll(".health-group:not([hidden]) > h3")].map((head) => head.innerText)';
    await page.until(`${groups}.length === 4`);
    assert.deepEqual(await page.evaluate(groups), ["Writes", "Reads", "Clients", "Machine"]);
    await page.until(
      '/up for .+, version .+, last sequence 1$/.test(document.querySelector(".health-head .quiet").innerText)',
    );
    const memory =
      '[...document.querySelectorAll(".tile")].find((tile) => tile.innerText.startsWith("Memory"))';
    await page.until(`${memory}.innerText.includes("5 minutes ago")`);
    await page.evaluate(`(() => {
      const range = document.querySelector(".health-head select");
      range.value = "1";
      range.dispatchEvent(new Event("change"));
      const plot = ${memory}.querySelector(".chart-plot");
      const { right } = plot.getBoundingClientRect();
      plot.dispatchEvent(new PointerEvent("pointermove", { clientX: right - 1 }));
    })()`);
    assert.ok(await page.evaluate(`${memory}.innerText.includes("1 hour ago")`));
    const about = `${memory}.querySelector(".tile-about").innerText`;
    assert.match(await page.evaluate<string>(about), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await page.evaluate(
      `${memory}.querySelector(".chart-plot").dispatchEvent(new PointerEvent("pointerleave"))`,
    );
    assert.equal(await page.evaluate(about), "of the process of the server");
    if (edition === "B") {
      await server.client().request("POST", "/tx");
      await page.until("/open transactions\\s+1/.test(document.body.innerText)");
    }
    if (edition === "C") {
      await server.client().request("POST", "/begin");
      await page.until(`${says("a ticket")} && ${says("ends at the latest in")}`);
    }
    await server.client().request("QUERY", "/events", { json: { querry: 1 } });
    await page.until(
      "/Mistakes of clients\\s+1 since[^]*InvalidRequest QUERY .events\\s+1/.test(document.body.innerText)",
    );
    // As a server with a full disk answers.
    await page.evaluate(`
      const own = globalThis.fetch;
      const failing = { status: "ok", writes: "failing", reason: "the disk is full", since: "2026-11-26T12:00:00.000000Z" };
      globalThis.fetch = (path, options) =>
        path === "/store/health" ? Promise.resolve(Response.json(failing)) : own(path, options);`);
    await page.until(
      '/Writes\\s+failing[^]*the disk is full/.test(document.querySelector(".now-card.bad")?.innerText)',
    );
    // A server that cannot read its database answers its health with an error, and the numbers stay.
    await page.evaluate(`
      const other = globalThis.fetch;
      globalThis.asked = 0;
      globalThis.fetch = (path, options) => {
        if (path !== "/store/health") return other(path, options);
        globalThis.asked++;
        return Promise.resolve(Response.json({ error: "Unavailable" }, { status: 503 }));
      };`);
    await page.until(`asked > 1 && !document.querySelector(".now-card.bad")?.innerText.includes("failing")`);
    assert.equal(await page.evaluate(says("The store cannot be looked at")), false);
    await page.evaluate('location.hash = "#/events"');
    await page.until(`${ROWS} === 1`);
    await page.evaluate(pressButton("Live"));
    await page.until(says("Paused"));
  });
}
