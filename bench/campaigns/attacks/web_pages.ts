import { Connection } from "../../../tests/support/connection.ts";
import { startServer } from "../../../tests/support/server_process.ts";
import type { Attack, Found } from "./attack.ts";

/*
 * Requests that a web page can make a browser send, without a token: a reset in development mode, a write outside
 * it.
 */

const PAGES: Readonly<Record<string, readonly string[]>> = {
  "another origin": ["Host: localhost:8085", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
  "no origin": ["Host: localhost:8085", "Origin: null"],
  "another site": ["Host: 127.0.0.1:8085", "Sec-Fetch-Site: cross-site"],
  "a rebound name": ["Host: evil.example:8085", "Origin: http://evil.example:8085"],
};

/** Sends a request from each page, which the server must reject, and then one without a page, which it must accept. */
async function fromPages(
  requestLine: string,
  body: string,
  env: Readonly<Record<string, string>>,
): Promise<Found> {
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  await server.client().append({ type: "t", payload: "" });
  const faults: string[] = [];
  const seen = new Set<number>();
  const send = async (fields: readonly string[]): Promise<number> => {
    using connection = await Connection.open(server.address);
    const head = [
      `${requestLine} HTTP/1.1`,
      ...fields,
      "Content-Type: text/plain",
      `Content-Length: ${body.length}`,
    ];
    await connection.send(`${head.join("\r\n")}\r\n\r\n${body}`);
    return (await connection.readReply("POST")).status;
  };
  for (const [page, fields] of Object.entries(PAGES)) {
    const status = await send(fields);
    seen.add(status);
    if (status !== 403) faults.push(`a page of ${page} comes in: ${status}`);
  }
  if ((await server.client().allEvents()).length !== 1) faults.push("the events are others");
  const own = await send(["Host: localhost:8085"]);
  if (own !== 200 && own !== 204) faults.push(`a request of no page: ${own}`);
  return { tries: Object.keys(PAGES).length, outcome: [...seen].join(", "), faults };
}

export const webPages: readonly Attack[] = [
  {
    name: "A POST /reset from web pages of others, development mode",
    edition: "A",
    plain: () => fromPages("POST /reset", "", { SERVICE_DEV_MODE: "true" }),
  },
  {
    name: "A POST /write from web pages of others",
    edition: "A",
    plain: () => fromPages("POST /write", '{"events":[{"type":"t","payload":""}]}', {}),
  },
];
