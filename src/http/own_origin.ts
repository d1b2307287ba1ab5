import { type Address, isLoopback } from "../model/address.ts";
import type { HttpRequest } from "./exchange.ts";

/*
 * What keeps web pages out where no token does. A browser sends simple requests, such as `POST /reset`, to any
 * server for any page; the page may not read the reply, but by then the store is empty. Browsers say for whom
 * they ask, and no page can change that. Other programs need not say anything.
 */

/** Endings of names that the public name system never gives to anybody. */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "test"]);

/** Says what is wrong with a request that a page of somebody else may have made, or undefined. */
export type OriginCheck = (request: Pick<HttpRequest, "header">) => string | undefined;

/** @param listen where the server listens; behind a unix socket is a proxy, and it chooses the `Host` */
export function makeOriginCheck(listen: Address): OriginCheck {
  return (request) => {
    const origin = request.header("origin");
    if (origin !== undefined && !isLocalOrigin(origin)) return "the Origin is not a page of this machine";
    // A page of this machine is of another site, too, when it was opened as localhost and asks 127.0.0.1.
    if (origin === undefined && request.header("sec-fetch-site") === "cross-site") {
      return "a page of another site asks";
    }
    const host = request.header("host");
    if (listen.transport === "tcp" && host !== undefined && !isOwnHost(host, listen.hostname)) {
      return `the Host "${host}" may be a name that somebody pointed at this machine`;
    }
    return undefined;
  };
}

function isLocalOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url.hostname);
}

/**
 * Whether no stranger can have made this name. One who owns a public name can point it at 127.0.0.1 after the
 * page was loaded; its requests then come from its own origin. An address cannot be pointed anywhere else, and
 * neither can names of one label, as containers have.
 */
function isOwnHost(field: string, bound: string): boolean {
  const host = field.replace(/:[0-9]*$/, "").toLowerCase();
  if (host === bound.toLowerCase() || /^\[.*\]$|^[0-9]+(\.[0-9]+){3}$/.test(host)) return true;
  const labels = host.split(".");
  return labels.length === 1 || PRIVATE_ENDINGS.has(labels.at(-1)!);
}
