import { Client } from "../../support/client.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { type Proxy, type ProxyName, proxyNames, type ProxyPrograms, startProxy } from "./proxy.ts";

/** Registers a test once for each proxy, or for one of them. */
export async function proxyTest(
  name: string,
  test: (proxy: ProxyName, programs: ProxyPrograms) => Promise<void>,
  proxies: readonly ProxyName[] = proxyNames,
): Promise<void> {
  for (const proxy of proxies) {
    await debianTest([...proxyNames, "openssl"], `${proxy}: ${name}`, (programs) => test(proxy, programs));
  }
}

/** A server behind a proxy, and a client of the proxy. */
export interface Proxied {
  readonly name: ProxyName;
  readonly server: ServerProcess;
  readonly proxy: Proxy;
  readonly client: Client;
}

/** Registers a test with a real server behind each proxy. */
export async function proxiedTest(
  name: string,
  options: ServerOptions,
  test: (proxied: Proxied) => Promise<void>,
  proxies: readonly ProxyName[] = proxyNames,
): Promise<void> {
  await proxyTest(name, async (name, programs) => {
    await using server = await startServer(options);
    await using proxy = await startProxy(name, programs, server.address);
    await test({ name, server, proxy, client: new Client(proxy.address) });
  }, proxies);
}
