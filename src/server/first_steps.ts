import type { ServerSettings } from "../config/load.ts";
import { fromRoot } from "../files/paths.ts";
import type { Edition } from "../editions/edition.ts";
import { addressText } from "../model/address.ts";

/** Commands to copy for a first write and a first read, shown in development mode. */
export function firstSteps(edition: Edition, { listen, authToken }: ServerSettings): string {
  const socket = listen.transport === "unix" ? ` --unix-socket ${fromRoot(listen.path)}` : "";
  const auth = authToken === undefined ? "" : ` -H "Authorization: Bearer $TOKEN"`;
  const url = listen.transport === "unix" ? "http://localhost" : addressText(listen);
  const commands = edition.firstSteps(`curl${socket}${auth}`, url);
  return `development mode; try a first write and a first read:\n\n${
    commands.map((command) => `  ${command}\n`).join("")
  }`;
}
