import assert from "node:assert/strict";
import { join } from "node:path";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { run } from "../../../tools/build/run.ts";
import { exploredTest, pressButton, ROWS, says, textOf, write } from "./explored.ts";

/*
 * The other views, on each edition, by keyboard, and as axe-core checks them.
 */

const AXE = "axe-core@4.14.1";

async function axeSource(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_axe_" });
  try {
    const packed = await run("npm", ["pack", "--loglevel", "error", "--pack-destination", directory, AXE]);
    await run("tar", ["-xzf", join(directory, packed.trim()), "-C", directory, "package/axe.min.js"]);
    return await Deno.readTextFile(join(directory, "package/axe.min.js"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const EVENT = {
  type: "Noted",
  identifiers: { note: "n0" },
  metadata: { by: "web" },
  payload: '{"text":"hello","n":1}',
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

await exploredTest(
  "axe-core finds nothing in any view, in light and dark, wide and narrow",
  {},
  async ({ server, open }) => {
    const axe = await axeSource();
    const long = {
      ...EVENT,
      type: "ANoteThatWasWrittenWithAVeryLongName".repeat(5),
      payload: "x".repeat(5000),
    };
    await write(server, EVENT, EVENT, long);
    const projection = { type: "note", id: "n0", payload: '{"a":[1,true,"x"]}' };
    await server.client().request("POST", "/write", { json: { projections: { create: [projection] } } });
    const views = [
      ["/events", `${ROWS} === 3`],
      ["/events?open=3&type=Noted&tag=note=n0", `${textOf(".panel-sequence")} === "#3"`],
      ["/events?type=Nothing", says("Nothing matches")],
      ["/events?type=Nothing&tag=note=n0&or=&type=Noted&or=&tag=@by=web&tag=note=n0", `${ROWS} === 3`],
      ["/trace?trace=note=n0", 'document.querySelectorAll(".story-item").length === 3'],
      ["/trace", says("What happened")],
      ["/projections?projection=note&id=n0", 'document.querySelector(".json-key") !== null'],
      ["/health", 'document.querySelectorAll(".tile").length > 3'],
      ["/try", says("Writes are off")],
    ] as const;
    for (const [width, scheme] of [[1280, "light"], [360, "dark"]] as const) {
      await using page = await open("/events", { width, scheme });
      await page.evaluate(`${axe}; undefined`);
      const start = (await page.evaluate<string>("location.href")).split("#")[0];
      for (const [view, ready] of views) {
        await page.goTo(`${start}#${view}`);
        await page.until(ready);
        const options =
          '{ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }';
        const violations = await page.evaluate<Violation[]>(
          `axe.run(document, ${options}).then(({ violations }) => violations)`,
        );
        const found = violations.map(({ id, nodes }) =>
          `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`
        );
        assert.deepEqual(found, [], `${view} at ${width}, ${scheme}`);
        assert.equal(
          await page.evaluate("document.documentElement.scrollWidth"),
          width,
          `${view} at ${width}`,
        );
      }
      assert.deepEqual(page.problems, []);
    }
  },
);

await exploredTest("everything can be done without a mouse", {}, async ({ server, open }) => {
  await write(
    server,
    ...Array.from({ length: 60 }, (_, i) => ({ ...EVENT, identifiers: { note: `n${i}` } })),
  );
  await using page = await open();
  await page.until(`${ROWS} > 5`);
  for (const key of ["j", "j", "j", "k", "Enter"]) await page.press(key);
  await page.until(`${textOf(".panel-sequence")} === "#59"`);
  await page.press("j");
  await page.until(`${textOf(".panel-sequence")} === "#58"`);
  for (let i = 0; i < 30; i++) await page.press("j");
  await page.until(`${textOf(".panel-sequence")} === "#28"`);
  await page.until(
    '(({top, bottom}, list) => top >= list.top - 1 && bottom <= list.bottom + 1)(document.querySelector(".row.current").getBoundingClientRect(), document.querySelector(".list").getBoundingClientRect())',
  );
  await page.press("Escape");
  await page.until('document.querySelector(".panel").hidden');
  await page.press("?");
  await page.until('document.querySelector("dialog").open');
  await page.press("Escape");
  await page.until('!document.querySelector("dialog").open');
  await page.press("/");
  await page.type("note=n7");
  await page.press("Enter");
  await page.until(says("1 event"));
  await page.press("Backspace");
  await page.until('location.hash === "#/events"');
  await page.press("Escape");
  await page.press("2");
  await page.until('location.hash.startsWith("#/trace")');
  await page.press("/");
  await page.type("note=n7");
  await page.press("Enter");
  await page.until('document.querySelectorAll(".story-item").length === 1');
  await page.press("Escape");
  await page.press("3");
  await page.until(says("Look up a projection"));
  // Tab leads from the tabs to the fields, and what has the focus shows it.
  let reached = "";
  for (let i = 0; i < 12 && reached !== "id"; i++) {
    await page.press("Tab");
    reached = await page.evaluate<string>('document.activeElement.name ?? ""');
    assert.equal(
      await page.evaluate('getComputedStyle(document.activeElement).outlineStyle !== "none"'),
      true,
    );
  }
  assert.equal(reached, "id");
  assert.deepEqual(page.problems, []);
});

await exploredTest("a restart and a reset of the server show, and pass", {}, async ({ server, open }) => {
  await write(server, EVENT, EVENT);
  await using page = await open();
  await page.until(`${ROWS} === 2`);
  await page.evaluate('document.querySelector(".row").isTheSame = true');
  await server.stop();
  await page.until(`${says("does not answer")} && ${says("not connected")}`);
  assert.equal(await page.evaluate(ROWS), 2);
  await server.start();
  await page.until('document.querySelector(".banner").hidden');
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
  "a link with a key, opened in an open page, counts and leaves the address",
  {},
  async ({ server, explorer, open }) => {
    await write(server, EVENT);
    await using page = await open();
    await page.until(`${ROWS} === 1`);
    await page.evaluate("localStorage.clear()");
    const place = `http://127.0.0.1:${explorer.port}/`;
    await page.goTo(`${place}?again`);
    await page.until(says("This page needs its key"));
    await page.goTo(`${place}?again${new URL(explorer.url).hash}`);
    await page.until(`${ROWS} === 1`);
    assert.equal(await page.evaluate('location.href.includes("key")'), false);
    // A restarted explorer has another key: what the page shows is no longer live.
    await explorer.stop();
    await using next = startExplorer({ store: { url: explorer.place }, port: explorer.port });
    await page.until(`${says("needs the key of the link")} && ${says("not connected")}`);
    await page.goTo(`${place}?again${new URL(next.url).hash}`);
    await page.until(`${ROWS} === 1 && !${says("not connected")}`);
    await write(server, EVENT);
    await page.until(`${ROWS} === 2`);
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
  for (const key of ["4", "1", "4"]) await page.press(key);
  await page.until("held.length === 2");
  await page.evaluate("held.splice(0).forEach((resume) => resume())");
  await page.until("held.length > 0");
  await new Promise((resolve) => setTimeout(resolve, 1500));
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

const TOKEN = "the-token-of-this-test";

await exploredTest("without the key the page says what it needs; a wrong token shows", {
  server: { env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN } },
  explorer: {},
}, async ({ explorer, open }) => {
  await using page = await open();
  await page.until(says("Unauthorized") + ` || ${says("token")} || ${says("not connected")}`);
  await page.evaluate("localStorage.clear()");
  await page.goTo(`http://127.0.0.1:${explorer.port}/?again`);
  await page.until(says("This page needs its key"));
  await page.goTo(`http://127.0.0.1:${explorer.port}/?wrong#key=${"x".repeat(32)}`);
  await page.until(says("This page needs its key"));
});

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
      '[...document.querySelectorAll(".now-card")].some((card) => card.innerText.includes("free"))',
    );
    assert.equal(await page.evaluate(says("normal")), edition !== "A");
    if (edition === "B") {
      await server.client().request("POST", "/tx");
      await page.until("/open transactions\\s+1/.test(document.body.innerText)");
    }
    if (edition === "C") {
      await server.client().request("POST", "/begin");
      await page.until(`${says("a ticket")} && ${says("ends at the latest in")}`);
    }
    await page.evaluate('location.hash = "#/events"');
    await page.until(`${ROWS} === 1`);
    await page.evaluate(pressButton("Live"));
    await page.until(says("Paused"));
  });
}
