import { runExplorer } from "./run_explorer.ts";

/*
 * The explorer from source: deno task explore --url http://127.0.0.1:8085
 */

await runExplorer();
