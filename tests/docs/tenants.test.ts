import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { makePrograms } from "../support/programs.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { pageBlocks } from "./page_blocks.ts";
import { Reader } from "./reader.ts";

const START = "eventstore-server --config config.toml\n";

Deno.test("a reader who follows the page about tenants sees the output that it shows", async () => {
  await inDirectory(async (directory) => {
    await makePrograms(directory);
    const port = freePort();
    await using reader = new Reader(directory, { transport: "tcp", hostname: "127.0.0.1", port }, []);
    let server: ServerProcess | undefined;
    try {
      for (const block of pageBlocks("tenants.md")) {
        const text = block.text.replace("port = 8085", `port = ${port}`);
        if (text === START) {
          server = await startServer({ directory, listen: "none", args: ["--config", "config.toml"] });
        } else {
          await reader.does({ ...block, text: text.replaceAll("eventstore-init", "./eventstore-init") });
        }
      }
    } finally {
      await server?.[Symbol.asyncDispose]();
    }
  });
});
