import { parseArgs } from "node:util";
import { npmPackage } from "./npm_package.ts";

/*
 * Makes the npm package of the client: deno task client [directory]
 */

const { positionals: [directory = "dist"] } = parseArgs({ args: Deno.args, allowPositionals: true });
const path = await npmPackage(directory);
Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
