import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../../src/config/version.ts";
import { REPOSITORY } from "../../../tools/build/program_task.ts";
import { npmPackage } from "../../../tools/client/npm_package.ts";
import { sources } from "../../client/examples.ts";
import { madeOnce } from "./made_once.ts";

/** Besides the sources of the client, its package depends on these. */
const OTHER_SOURCES = [
  "client/README.md",
  "deno.json",
  "tools/client/npm_package.ts",
  "src/config/version.ts",
];

/** The npm package of the client, made once for each state of its sources. @returns its path */
export async function packedClient(): Promise<string> {
  const root = fileURLToPath(REPOSITORY);
  const files = [...sources("client/"), ...OTHER_SOURCES].map((path) => join(root, path));
  const name = `client-${Deno.version.deno}`;
  const directory = await madeOnce(name, files, async (to) => void await npmPackage(to));
  return join(directory, `eventstore-client-${VERSION}.tgz`);
}
