import { join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { makePrograms } from "../support/programs.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { pageBlocks } from "./page_blocks.ts";
import { Reader } from "./reader.ts";

const START = "eventstore-server --config config.toml\n";

Deno.test("a reader who follows the page about a person who asks to be forgotten sees the output that it shows", async () => {
  await inDirectory(async (directory) => {
    await makePrograms(directory);
    const port = freePort();
    const client = `#!/bin/sh\nEVENTSTORE_URL=http://127.0.0.1:${port} exec ./eventstore-client "$@"\n`;
    await Deno.writeTextFile(join(directory, "client"), client, { mode: 0o755 });
    await using reader = new Reader(directory, { transport: "tcp", hostname: "127.0.0.1", port }, []);
    let server: ServerProcess | undefined;
    try {
      for (const block of pageBlocks("forget_a_person.md")) {
        const text = block.text.replace("port = 8085", `port = ${port}`);
        if (text === START) {
          server = await startServer({ directory, listen: "none", args: ["--config", "config.toml"] });
          continue;
        }
        // Each block has a shell of its own here, so the program has the variable instead.
        await reader.does({ ...block, text: text.replaceAll(/^eventstore-client/gm, "./client") });
      }
    } finally {
      await server?.[Symbol.asyncDispose]();
    }
  });
});
