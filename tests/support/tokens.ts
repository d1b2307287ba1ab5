import assert from "node:assert/strict";
import { join } from "node:path";
import { tokenDigest } from "../../src/config/tokens.ts";
import type { Right } from "../../src/model/access.ts";
import { eventually } from "./eventually.ts";
import { type ServerProcess, startServer } from "./server_process.ts";

/** A token as a file of tokens has it. */
export function tokenToml(name: string, token: string, may: readonly Right[], more = ""): string {
  return `[[tokens]]\nname = "${name}"\nsha256 = "${tokenDigest(token)}"\nmay = ${
    JSON.stringify(may)
  }\n${more}`;
}

/** Starts a server with these tokens in a file of their own. */
export async function startWithTokens(
  edition: "A" | "B" | "C",
  tokens: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const config = `[server]\nedition = "${edition}"\nenableAuth = true\ntokensFile = "tokens.toml"\n`;
  const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  Deno.writeTextFileSync(join(directory, "tokens.toml"), tokens);
  return await startServer({ directory, config, listen: "unix", env });
}

/** Replaces the tokens of a running server. */
export async function readTokensAgain(server: ServerProcess, tokens: string): Promise<void> {
  Deno.writeTextFileSync(join(server.directory, "tokens.toml"), tokens);
  const count = (): number => server.stdout.split("the tokens were read again").length;
  const before = count();
  server.signal("SIGHUP");
  await eventually(() => assert.ok(count() > before));
}

/** The header with a token. */
export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
