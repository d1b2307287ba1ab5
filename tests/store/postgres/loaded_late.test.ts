import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runDeno } from "../../support/run_command.ts";

interface Graph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

/** The settings name a place, on every storage. */
const FOR_SETTINGS = ["connection/address.ts", "protocol/errors.ts"];

Deno.test("a server on a file starts without loading the PostgreSQL client", async () => {
  const main = fileURLToPath(new URL("../../../main.ts", import.meta.url));
  const { stdout } = await runDeno(["info", "--json", main]);
  const { roots, modules }: Graph = JSON.parse(stdout);
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = (withDynamic: boolean): string[] => {
    const found = new Set(roots);
    // A set's iteration includes elements that are added during it.
    for (const specifier of found) {
      for (const { code, isDynamic = false } of bySpecifier.get(specifier)?.dependencies ?? []) {
        if (code !== undefined && (withDynamic || !isDynamic)) found.add(code.specifier);
      }
    }
    return [...found].flatMap((specifier) => specifier.split("/store/postgres/")[1] ?? []).sort();
  };
  assert.deepEqual(loaded(false), FOR_SETTINGS);
  assert.ok(loaded(true).length > 20);
});
