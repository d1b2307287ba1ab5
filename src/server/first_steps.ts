import type { ServerSettings } from "../config/load.ts";
import { addressText } from "./start_server.ts";

/** Commands to copy for a first write and a first read, shown in development mode. */
export function firstSteps({ listen, authToken }: ServerSettings): string {
  const where = listen.transport === "unix"
    ? `--unix-socket ${listen.path} http://localhost`
    : addressText(listen);
  const auth = authToken === undefined ? "" : ` -H "Authorization: Bearer $TOKEN"`;
  return `development mode; try a first write and a first read:

  curl${auth} ${where}/write -d '{"events":[{"type":"CourseDefined","identifiers":{"course":"c1"},"payload":"{}"}]}'
  curl${auth} -X QUERY ${where}/events -d '{"query":[{"identifiers":[{"name":"course","value":"c1"}]}]}'
`;
}
