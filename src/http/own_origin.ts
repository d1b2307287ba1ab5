import { type Address, isLoopback } from "../model/address.ts";
import type { HttpRequest } from "./exchange.ts";

/*
 * Keeps foreign web pages out when no token is set. For any page, a browser sends simple requests to any server, such
 * as `POST /write` with a body of plain text. The page may not read the reply, but the event has been written by then.
 * Browsers name the page's origin in the request, and no page can change that. Other programs need not send an origin.
 */

/** Endings of names that the public name system never assigns. */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "test"]);

/** The advice to an operator whose request was rejected. */
const REMEDY = "allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth";

/** Returns why a request may come from a page of another site, or undefined when it cannot. */
export type OriginCheck = (request: Pick<HttpRequest, "header">) => string | undefined;

/**
 * Makes the check of a server's requests.
 * @param listen where the server listens. In front of a unix socket there is a proxy, which chooses the `Host`
 * @param allowedHosts names that a `Host` may have, and whose pages may send requests, besides names that no stranger
 *   can own. If there are some, the `Host` is checked on a unix socket, too
 */
export function makeOriginCheck(listen: Address, allowedHosts: readonly string[] = []): OriginCheck {
  const pages = new Set(allowedHosts.map(hostnameOf));
  const hosts = new Set(pages);
  if (listen.transport === "tcp") hosts.add(hostnameOf(listen.hostname));
  const isHostChecked = hosts.size > 0;
  // Clients repeat their Host.
  let lastHost: string | undefined;
  return (request) => {
    const origin = request.header("origin");
    if (origin !== undefined && !isWelcomeOrigin(origin, pages)) {
      return `the Origin is neither a page of this machine nor of a host in ${REMEDY}`;
    }
    // The browser also calls a page of this machine another site, if it was opened as localhost and calls 127.0.0.1.
    if (origin === undefined && request.header("sec-fetch-site") === "cross-site") {
      return "a page of another site asks";
    }
    if (!isHostChecked) return undefined;
    const host = request.header("host");
    if (host === undefined || host === lastHost) return undefined;
    if (!isOwnHost(host, hosts)) {
      return `the Host "${host}" may be a name that a stranger pointed here; add it to ${REMEDY}`;
    }
    lastHost = host;
    return undefined;
  };
}

/** Returns a name or an address as a URL spells it. */
function hostnameOf(host: string): string {
  const written = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return URL.parse(`http://${written}/`)?.hostname ?? host.toLowerCase();
}

function isWelcomeOrigin(origin: string, pages: ReadonlySet<string>): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) &&
    (isLoopback(url.hostname) || pages.has(url.hostname));
}

/**
 * True when no stranger can own this name. The owner of a public name can point it at this server after the page was
 * loaded (DNS rebinding). The page's requests then come from their own origin. An address cannot be pointed anywhere
 * else, and neither can a name of one label, as containers have.
 */
function isOwnHost(field: string, hosts: ReadonlySet<string>): boolean {
  const host = field.replace(/:[0-9]*$/, "").toLowerCase();
  if (hosts.has(host) || /^\[.*\]$|^[0-9]+(\.[0-9]+){3}$/.test(host)) return true;
  const labels = host.split(".");
  return labels.length === 1 || PRIVATE_ENDINGS.has(labels.at(-1)!);
}
