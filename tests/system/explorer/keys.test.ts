import assert from "node:assert/strict";
import { startExplorer } from "../../../explorer/server/start_explorer.ts";
import { EVENT, exploredTest, ROWS, says, write } from "./explored.ts";

/*
 * The key of the page, and the token of the store.
 */

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

const TOKEN = "the-token-of-this-test";

await exploredTest("without the key the page says what it needs; a wrong token shows", {
  server: { env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN } },
  explorer: {},
}, async ({ explorer, open }) => {
  await using page = await open();
  await page.until(says("start the explorer with --token-file"));
  await page.evaluate("localStorage.clear()");
  await page.goTo(`http://127.0.0.1:${explorer.port}/?again`);
  await page.until(says("This page needs its key"));
  await page.goTo(`http://127.0.0.1:${explorer.port}/?wrong#key=${"x".repeat(32)}`);
  await page.until(says("This page needs its key"));
});
