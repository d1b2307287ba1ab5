import { join } from "node:path";
import type { Address } from "../../support/connection.ts";
import { freePort } from "../../support/free_port.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { DebianProcess } from "../support/debian_process.ts";
import type { DebianProgram } from "../support/debian_program.ts";

/** HAProxy in front of two servers, configured as the page says. */
export interface Haproxy extends AsyncDisposable {
  readonly address: Address;
}

/** Starts it with the configuration of the page; addresses are replaced, and TLS is left out. */
export async function startHaproxy(
  program: DebianProgram,
  servers: readonly [Address, Address],
): Promise<Haproxy> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_haproxy_" });
  const port = freePort();
  const path = join(directory, "haproxy.cfg");
  await Deno.writeTextFile(path, configFor(port, servers));
  const process = await DebianProcess.start(program, { args: ["-db", "-f", path], directory, ports: [port] });
  return {
    address: { transport: "tcp", hostname: "127.0.0.1", port },
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

function configFor(port: number, servers: readonly [Address, Address]): string {
  let config = pageBlock("reverse_proxy.md", "# /etc/haproxy/haproxy.cfg");
  config = replacePart(config, ":443 ssl crt /etc/haproxy/events.example.com.pem", `127.0.0.1:${port}`);
  for (const [i, example] of ["10.0.0.1:8085", "10.0.0.2:8085"].entries()) {
    const server = servers[i]!;
    if (server.transport !== "tcp") throw new Error("the page has HAProxy in front of TCP");
    config = replacePart(config, example, `${server.hostname}:${server.port}`);
  }
  return config;
}
