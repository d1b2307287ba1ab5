import { emmettPackage } from "./npm_package.ts";

/*
 * Makes the npm package of the event store for Emmett: deno task client:emmett [directory]
 */

const path = await emmettPackage(Deno.args[0] ?? "dist");
Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
