import { npmPackage } from "./npm_package.ts";

/*
 * Makes the npm package of the client: deno task client [directory]
 */

const path = await npmPackage(Deno.args[0] ?? "dist");
Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
