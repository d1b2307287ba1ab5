import { LIMITS } from "../../../client/testing/checks.ts";
import { MemoryTransport } from "../../../client/testing/memory_transport.ts";
import { Client } from "../../support/client.ts";
import type { Address } from "../../support/connection.ts";
import type { ServerProcess } from "../../support/server_process.ts";

/** The parts of a server that the tests of the client use. */
type Used = Pick<ServerProcess, "address" | "client">;

/**
 * The store in memory behind a socket, in place of a server, so that the tests of the client run on it unchanged. It
 * is empty at the beginning of each test.
 */
export function memoryServer(env: Readonly<Record<string, string>>): Used {
  const limits = { ...LIMITS, maxEventsPerWrite: Number(env["SERVICE_MAX_EVENTS_PER_WRITE"] ?? 100) };
  const subjects = env["SERVICE_SUBJECTS"]?.split(",") ?? [];
  const transport = new MemoryTransport({ now: () => new Date(), subjects, limits });
  let server: Deno.HttpServer<Deno.NetAddr>;
  const address = (): Address => ({ transport: "tcp", hostname: "127.0.0.1", port: server.addr.port });
  const client = (): Client => new Client(address());
  Deno.test.beforeAll(() => {
    server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) =>
        // A client that disconnects needs no answer.
        answer(transport, request).catch(() => new Response(null)),
    );
  });
  Deno.test.afterAll(() => server.shutdown());
  Deno.test.beforeEach(async () => void await client().request("POST", "/reset"));
  return {
    get address() {
      return address();
    },
    client,
  };
}

async function answer(transport: MemoryTransport, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = await request.text();
  const path = pathname + search;
  const reply = await transport.send({
    method: request.method,
    path,
    headers: {},
    body,
    signal: request.signal,
  });
  const headers = new Headers();
  for (const name of ["x-service-store", "x-service-head", "x-service-version", "x-service-error"]) {
    const value = reply.header(name);
    if (value) headers.set(name, value);
  }
  return new Response(reply.status === 204 ? null : await reply.text(), { status: reply.status, headers });
}
