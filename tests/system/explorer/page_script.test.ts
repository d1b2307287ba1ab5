import assert from "node:assert/strict";
import { join } from "node:path";
import { builtPage } from "../../../explorer/server/page_files.ts";
import { bundle } from "../../../tools/build/bundle.ts";
import { pageScript } from "../../../tools/explorer/page_script.ts";
import { explainDownload } from "../support/download.ts";

const BYTES_MAX = 150_000;

Deno.test("the script of the page is made of its sources", async () => {
  const made = await pageScript().catch(explainDownload("the bundler"));
  assert.ok(builtPage.script === made, "run deno task explore:page");
});

Deno.test("the page is small", () => {
  const bytes = new TextEncoder().encode(Object.values(builtPage).join("")).length;
  assert.ok(bytes < BYTES_MAX, `${bytes} bytes`);
});

Deno.test("an executable has the page that runs from source: one module holds it, and reads no file", async () => {
  const { text, workers } = await bundle("cli/client.ts").catch(explainDownload("the bundler"));
  assert.equal(workers.size, 0);
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    const path = join(directory, "explorer.js");
    await Deno.writeTextFile(path, text);
    const args = [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-config",
      "--unstable-no-legacy-abort",
      "--allow-net=127.0.0.1",
      "--allow-env=EVENTSTORE_*",
      path,
      "explore",
      "--url",
      "http://127.0.0.1:1",
    ];
    const child = new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "piped" }).spawn();
    try {
      const { value } = await child.stdout.getReader().read();
      const link = /http:\S+#key=\S+/.exec(new TextDecoder().decode(value))![0];
      const { html, css, script } = builtPage;
      const files = await Promise.all(
        ["/", "/page.css", "/page.js"].map(async (file) => await (await fetch(new URL(file, link))).text()),
      );
      assert.deepEqual(files, [html, css, script]);
    } finally {
      child.kill("SIGTERM");
      await child.status;
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
