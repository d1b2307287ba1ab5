import { parseArgs } from "node:util";
import { emmettPackage } from "./npm_package.ts";

/*
 * Makes the npm package of the event store for Emmett: deno task client:emmett [directory]
 */

const { positionals: [directory = "dist"] } = parseArgs({ args: Deno.args, allowPositionals: true });
const path = await emmettPackage(directory);
Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
