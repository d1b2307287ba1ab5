import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";

/**
 * Starts servers for a suite in another language, over HTTP. `POST /` starts one on an empty store and answers with
 * its URL. `POST /<port>` kills that server and starts it again, `DELETE /<port>` kills it and removes its store.
 */
export class ServerStarter implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>;
  readonly #servers = new Map<number, ServerProcess>();
  readonly #http: Deno.HttpServer<Deno.NetAddr>;

  /** @param env the settings of every server */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#http = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#http.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http.shutdown();
    for (const port of this.#servers.keys()) await this.#end(port);
  }

  async #answer({ method, url }: Request): Promise<Response> {
    const port = Number(new URL(url).pathname.slice(1));
    try {
      if (method === "POST") {
        return new Response(port === 0 ? await this.#start() : await this.#restart(port));
      }
      if (method === "DELETE") return new Response(await this.#end(port));
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
    return new Response(`no method ${method}`, { status: 405 });
  }

  async #start(): Promise<string> {
    const server = await startServer({ listen: "tcp", listenOnly: true, env: this.#env });
    const url = tcpUrlOf(server);
    this.#servers.set(Number(new URL(url).port), server);
    return url;
  }

  async #restart(port: number): Promise<string> {
    const server = this.#servers.get(port);
    if (server === undefined) throw new Error(`no server was started on port ${port}`);
    await server.kill();
    await server.start();
    return "";
  }

  async #end(port: number): Promise<string> {
    const server = this.#servers.get(port);
    this.#servers.delete(port);
    await server?.[Symbol.asyncDispose]();
    return "";
  }
}
