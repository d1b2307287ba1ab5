import { Connection } from "../../../tests/support/connection.ts";
import { startServer } from "../../../tests/support/server_process.ts";
import type { Attack, Found } from "./attack.ts";

/* What a web page can have the browser of a developer send, without a token in development mode. */

const PAGES: Readonly<Record<string, readonly string[]>> = {
  "another origin": ["Host: localhost:8085", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
  "no origin": ["Host: localhost:8085", "Origin: null"],
  "another site": ["Host: 127.0.0.1:8085", "Sec-Fetch-Site: cross-site"],
  "a rebound name": ["Host: evil.example:8085", "Origin: http://evil.example:8085"],
};

async function resetFromPages(): Promise<Found> {
  await using server = await startServer({
    listen: "tcp",
    listenOnly: true,
    env: { SERVICE_DEV_MODE: "true" },
  });
  await server.client().append({ type: "t", payload: "" });
  const faults: string[] = [];
  const seen = new Set<number>();
  for (const [page, fields] of Object.entries(PAGES)) {
    using connection = await Connection.open(server.address);
    await connection.send(["POST /reset HTTP/1.1", ...fields, "Content-Length: 0", "", ""].join("\r\n"));
    const { status } = await connection.readReply("POST");
    seen.add(status);
    if (status !== 403) faults.push(`a page of ${page} may reset: ${status}`);
  }
  if ((await server.client().allEvents()).length !== 1) faults.push("the store is empty");
  const own = await server.client().request("POST", "/reset");
  if (own.status !== 204) faults.push(`the developer's own reset: ${own.status}`);
  return { tries: Object.keys(PAGES).length, outcome: [...seen].join(", "), faults };
}

export const webPages: readonly Attack[] = [
  { name: "A POST /reset from web pages of others, development mode", edition: "A", plain: resetFromPages },
];
