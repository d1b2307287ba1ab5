import { type Address, isLoopback } from "../model/address.ts";
import type { HttpRequest } from "./exchange.ts";

/*
 * What keeps web pages out where no token does. A browser sends simple requests, such as `POST /write` with a body of
 * plain text, to any server for any page. The page may not read the reply, but by then the event is written. Browsers
 * say for whom they ask, and no page can change that. Other programs need not say anything.
 */

/** Endings of names that the public name system never gives to anybody. */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "test"]);

/** What an operator does about a rejection. */
const REMEDY = "allowedHosts (SERVICE_ALLOWED_HOSTS), or turn on enableAuth";

/** Says what is wrong with a request that a page of another site may have made, or undefined. */
export type OriginCheck = (request: Pick<HttpRequest, "header">) => string | undefined;

/**
 * @param listen where the server listens; in front of a unix socket is a proxy, which chooses the `Host`
 * @param allowedHosts names that a `Host` may have besides those that no stranger can own, and whose pages may ask.
 *   Once there are some, the `Host` is checked on a unix socket, too
 */
export function makeOriginCheck(listen: Address, allowedHosts: readonly string[] = []): OriginCheck {
  const pages = new Set(allowedHosts.map(hostnameOf));
  const hosts = new Set(pages);
  if (listen.transport === "tcp") hosts.add(hostnameOf(listen.hostname));
  const isHostChecked = hosts.size > 0;
  // Clients repeat theirs.
  let lastHost: string | undefined;
  return (request) => {
    const origin = request.header("origin");
    if (origin !== undefined && !isWelcomeOrigin(origin, pages)) {
      return `the Origin is neither a page of this machine nor of a host in ${REMEDY}`;
    }
    // A page of this machine is of another site, too, when it was opened as localhost and asks 127.0.0.1.
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

/** A name or an address as it is in a URL. */
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
 * Whether no stranger can have made this name. One who owns a public name can point it at this server after the page
 * was loaded (DNS rebinding); its requests then come from its own origin. An address cannot be pointed anywhere else,
 * and neither can names of one label, as containers have.
 */
function isOwnHost(field: string, hosts: ReadonlySet<string>): boolean {
  const host = field.replace(/:[0-9]*$/, "").toLowerCase();
  if (hosts.has(host) || /^\[.*\]$|^[0-9]+(\.[0-9]+){3}$/.test(host)) return true;
  const labels = host.split(".");
  return labels.length === 1 || PRIVATE_ENDINGS.has(labels.at(-1)!);
}
