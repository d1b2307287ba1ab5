import { plainReply } from "./replies.ts";

/** The request header in which the page sends the key. */
export const KEY_HEADER = "x-explorer-key";

/** A key of 192 bits, too long to guess. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
}

/**
 * Rejects requests that do not come from the page itself. Any web page can make the browser send requests to this
 * machine. Such a page shows in `Origin`, or, if its host name resolves to this machine, in `Host`.
 */
export function foreignError(request: Request, port: number): Response | undefined {
  // Browsers leave out port 80.
  const hosts = ["127.0.0.1", "localhost"].map((name) => new URL(`http://${name}:${port}`).host);
  const host = request.headers.get("host");
  // A request in the form for proxies names the host in its target, too.
  const target = URL.parse(request.url)?.host;
  if (host === null || !hosts.includes(host) || target === undefined || !hosts.includes(target)) {
    return plainReply(403, "the explorer answers requests for 127.0.0.1 and localhost only");
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== `http://${host}`) {
    return plainReply(403, "the explorer answers its own page only");
  }
  return undefined;
}

/** Rejects requests without the key, which come from other users and programs of this machine. */
export function keyError(request: Request, key: string): Response | undefined {
  if (isEqual(request.headers.get(KEY_HEADER) ?? "", key)) return undefined;
  return plainReply(403, "the explorer needs the key of the link that it printed when it was started");
}

/** Compares in constant time. */
function isEqual(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let i = 0; i < key.length; i++) difference |= given.charCodeAt(i) ^ key.charCodeAt(i);
  return difference === 0;
}
