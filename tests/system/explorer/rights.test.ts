import assert from "node:assert/strict";
import { tokenDigest } from "../../../src/config/tokens.ts";
import { placeOf } from "../../client/support.ts";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { exploredTest, says } from "./explored.ts";

/*
 * The page in Chromium, with tokens that may not do everything.
 */

const TABS = '[...document.querySelectorAll(".tab")].filter((tab) => tab.offsetParent !== null)' +
  ".map((tab) => tab.innerText)";

const config = "[server]\nenableAuth = true\n" +
  ["read", "operate", "write"].map((right) => {
    const may = right === "write" ? '["read", "write"]' : `["${right}"]`;
    return `[[tokens]]\nname = "may-${right}"\nsha256 = "${tokenDigest(right)}"\nmay = ${may}\n`;
  }).join("");

await exploredTest(
  "the page hides what its token may not see or do, and names the token",
  { server: { config } },
  async ({ server, openWith }) => {
    const explorerOf = (token: string) =>
      startExplorer({ store: { ...placeOf(server.address), token }, allowWrites: true });
    {
      await using explorer = explorerOf("read");
      await using page = await openWith(explorer, "/health");
      await page.until(says("may-read"));
      assert.deepEqual(await page.evaluate(TABS), ["Events", "Trace", "Projections", "Try it", "Consumers"]);
      await page.until('document.title.startsWith("Events")');
      await page.evaluate('location.hash = "#/try"');
      await page.until(says('The explorer\'s token lacks the right "write".'));
      assert.deepEqual(page.problems, []);
    }
    {
      await using explorer = explorerOf("operate");
      await using page = await openWith(explorer, "/events");
      await page.until(says("may-operate"));
      assert.deepEqual(await page.evaluate(TABS), ["Conflicts", "Health"]);
      await page.until('document.title.startsWith("Conflicts")');
      assert.deepEqual(page.problems, []);
    }
    {
      await using explorer = explorerOf("write");
      await using page = await openWith(explorer, "/try");
      await page.until(says("writes allowed"));
      assert.deepEqual(page.problems, []);
    }
  },
);
