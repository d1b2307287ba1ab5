import { VERSION } from "../../src/config/version.ts";
import { foreignError, keyError, newKey } from "./access.ts";
import type { ExplorerOptions } from "./explorer_options.ts";
import { forwardingTo } from "./forward.ts";
import { builtPage } from "./page_files.ts";
import { jsonReply, pageReply, plainReply } from "./replies.ts";
import { permissionFor } from "./store_requests.ts";

/** The explorer forwards requests below this path to the store. */
const STORE = "/store";

/** A running explorer. */
export interface Explorer extends AsyncDisposable {
  /** The link to open, with the key. Everyone who has the link can do what the explorer can. */
  readonly url: string;
  readonly port: number;
  /** The address of the store, for people. */
  readonly place: string;
  /** Closes the port and all connections. */
  stop(): Promise<void>;
}

/**
 * Starts the explorer: serves a page that shows a store on 127.0.0.1, and forwards its requests to the store.
 * @throws TypeError when the address of the store is invalid, or a header cannot carry its token
 * @throws Deno.errors.AddrInUse when the port is taken
 */
export function startExplorer(options: ExplorerOptions): Explorer {
  const { store, port = 0, allowWrites = false } = options;
  const forwarding = forwardingTo(store);
  const key = newKey();
  const about = {
    version: VERSION,
    place: forwarding.place,
    isSocket: store.socketPath !== undefined,
    hasToken: store.token !== undefined,
    allowWrites,
  };
  const ending = new AbortController();

  const answer = async (request: Request): Promise<Response> => {
    const foreign = foreignError(request, server.addr.port);
    if (foreign !== undefined) return foreign;
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    if (method === "GET") {
      const file = pageReply(options.page ?? builtPage, pathname);
      if (file !== undefined) return file;
    }
    const rejection = keyError(request, key);
    if (rejection !== undefined) return rejection;
    if (method === "GET" && pathname === "/about") return jsonReply(200, about);
    if (!pathname.startsWith(`${STORE}/`)) return plainReply(404, "there is no such file");
    const path = pathname.slice(STORE.length);
    const permission = permissionFor(method, path, allowWrites);
    if (permission === "allowed") {
      return await forwarding.forward(request, path + search);
    }
    if (permission === "readOnly") {
      return jsonReply(403, {
        error: "ReadOnly",
        message: "the explorer only reads: start it with --allow-writes to write",
      });
    }
    return plainReply(404, "the explorer does not send this to the store");
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {}, signal: ending.signal }, answer);
  const stop = async (): Promise<void> => {
    ending.abort();
    await server.finished;
  };
  return {
    url: `http://127.0.0.1:${server.addr.port}/#key=${key}`,
    port: server.addr.port,
    place: forwarding.place,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
