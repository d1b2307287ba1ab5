import { debianTest } from "../support/debian_program.ts";
import { type ProxyName, proxyNames, type ProxyPrograms } from "./proxy.ts";

/** Registers a test once for each proxy. */
export async function proxyTest(
  name: string,
  test: (proxy: ProxyName, programs: ProxyPrograms) => Promise<void>,
): Promise<void> {
  for (const proxy of proxyNames) {
    await debianTest([...proxyNames, "openssl"], `${proxy}: ${name}`, (programs) => test(proxy, programs));
  }
}
