import { PAGE_SCRIPT, pageScript } from "./page_script.ts";

/*
 * Makes the script of the explorer's page: deno task explore:page
 */

await Deno.writeTextFile(PAGE_SCRIPT, await pageScript());
