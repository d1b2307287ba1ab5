import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../../tools/build/run.ts";
import type { ChromiumPage } from "../support/chromium.ts";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { placeOf } from "../../client/support.ts";
import { EVENT, exploredTest, pressButton, ROWS, says, textOf, write } from "./explored.ts";
import { parkedConsumer } from "./parked.ts";

/*
 * Every view, as axe-core checks it, and by keyboard.
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

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The violations that axe-core finds in a page, in which it was evaluated before. */
async function violationsIn(page: ChromiumPage): Promise<string[]> {
  // A timeline that is still counting, which it does from two frames after the rows, is dimmed on purpose.
  await page.evaluate("new Promise((then) => requestAnimationFrame(() => setTimeout(then, 50)))");
  await page.until("document.querySelector('.timeline[aria-busy=\"true\"]') === null");
  const options = '{ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }';
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`);
}

await exploredTest(
  "axe-core finds nothing in any view, in light and dark, wide and narrow",
  { server: { env: { SERVICE_SUBJECTS: "note" } } },
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
    const contended = { conditions: [{ failIfEventsMatch: "*" }], events: [EVENT] };
    await server.client().request("POST", "/write", { json: contended });
    const views = [
      ["/events", `${ROWS} === 3`],
      ["/events?open=3&type=Noted&tag=note=n0", `${textOf(".panel-sequence")} === "#3"`],
      ["/events?open=2", 'document.querySelectorAll(".write-list li").length === 3'],
      ["/events?type=Nothing", says("Nothing matches")],
      ["/events?type=Nothing&tag=note=n0&or=&type=Noted&or=&tag=@by=web&tag=note=n0", `${ROWS} === 3`],
      ["/trace?trace=note=n0", 'document.querySelectorAll(".story-item").length === 3'],
      ["/trace", says("What happened")],
      ["/projections", 'document.querySelectorAll("tbody tr").length === 1'],
      ["/projections?projection=note&id=n0", 'document.querySelector(".json-key") !== null'],
      ["/conflicts", says("Contended rules")],
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
        assert.deepEqual(await violationsIn(page), [], `${view} at ${width}, ${scheme}`);
        assert.equal(
          await page.evaluate("document.documentElement.scrollWidth"),
          width,
          `${view} at ${width}`,
        );
      }
      await page.goTo(`${start}#/events?open=3`);
      await page.until(`${textOf(".panel-sequence")} === "#3"`);
      for (const label of ["As stored", "Prove"]) await page.evaluate(pressButton(label));
      await page.until(`${says("is encrypted for note")} && ${says("Covered by this root")}`);
      assert.deepEqual(await violationsIn(page), [], `as stored at ${width}, ${scheme}`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      // The open menus, on a phone behind the button for the tools.
      await page.goTo(`${start}#/events`);
      await page.until(`${ROWS} === 3 && document.querySelectorAll(".bar").length > 0`);
      await page.evaluate('document.querySelector(".more-tools").click()');
      for (const menu of ["columns", "download"]) {
        await page.evaluate(`document.querySelector(".${menu}").open = true`);
        assert.deepEqual(await violationsIn(page), [], `${menu} at ${width}, ${scheme}`);
        const { left, right } = await page.evaluate<{ left: number; right: number }>(
          `document.querySelector(".${menu} .menu-content").getBoundingClientRect().toJSON()`,
        );
        assert.ok(left >= 0 && right <= width, `${menu} from ${left} to ${right} of ${width}`);
        await page.evaluate(`document.querySelector(".${menu}").open = false`);
      }
      assert.deepEqual(page.problems, []);
    }
  },
);

await exploredTest("axe-core finds nothing in consumers, with and without writes", {}, async ({
  server,
  explorer,
  openWith,
}) => {
  const axe = await axeSource();
  await using _consumer = await parkedConsumer(server, "mail", 2);
  await using writing = startExplorer({ store: placeOf(server.address), allowWrites: true });
  for (const [width, scheme] of [[1280, "light"], [360, "dark"]] as const) {
    for (const [shown, ready] of [[explorer, "--allow-writes"], [writing, "Retry all"]] as const) {
      await using page = await openWith(shown, "/consumers", { width, scheme });
      await page.evaluate(`${axe}; undefined`);
      const check = async (view: string): Promise<void> => {
        assert.deepEqual(await violationsIn(page), [], `${view} at ${width}, ${scheme}`);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, view);
      };
      await page.until('document.querySelector(".consumers td a") !== null');
      await check("the list");
      await page.evaluate('document.querySelector(".consumers td a").click()');
      await page.until(`${says(ready)} && ${says("Done up to")}`);
      await check("a consumer");
      if (shown === explorer) continue;
      await page.evaluate(pressButton("Drop all"));
      await page.until(says("Drop all parked events?"));
      await check("the dialog");
    }
  }
});

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
  await page.until(says("No projections"));
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
