import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pageBlocks } from "../docs/page_blocks.ts";
import { inDirectory } from "../support/directory.ts";
import { complaintsOf, type Example, examples, moduleOf, sources, withClient } from "./examples.ts";
import { placeOf, startTestServer } from "./support.ts";

const DOCS = new URL("../../docs/", import.meta.url);

/**
 * The pages with examples that only need a server. The tutorial shows files, which are checked on their own, and a
 * system test runs those for Emmett.
 */
const PAGES = [
  "README.md",
  "client/README.md",
  ...[...Deno.readDirSync(DOCS)].map(({ name }) => name).filter((name) =>
    /^(?!tutorial|emmett)\w+\.md$/.test(name) &&
    Deno.readTextFileSync(new URL(name, DOCS)).includes('from "eventstore-client')
  ).sort().map((name) => `docs/${name}`),
];

/** The strictest options that a user may set. */
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
};

/** Packages from npm that examples may import. */
const PACKAGES = Object.fromEntries(
  Object.entries<string>(JSON.parse(Deno.readTextFileSync(new URL("../deno.json", DOCS))).imports)
    .filter(([, source]) => source.startsWith("npm:")),
);

/** Writes the files that the tutorial shows. @returns their paths */
function writeTutorialFiles(directory: string): string[] {
  const files = pageBlocks("tutorial.md").filter(({ language }) => language === "ts").map(({ text }) => {
    const file = join(directory, /^\/\/ (\w+\.ts)/.exec(text)![1]!);
    Deno.writeTextFileSync(file, withClient(text));
    return file;
  });
  assert.ok(files.length >= 5);
  return files;
}

Deno.test("the examples in the docstrings and on the pages have the right types and run, and the files of the tutorial have the right types", async () => {
  const all = examples(PAGES);
  assert.ok(all.length > 12, `only ${all.length} examples were found`);
  await using serverA = await startTestServer("tcp", { SERVICE_SUBJECTS: "student" });
  await using serverB = await startTestServer("tcp", { SERVICE_EDITION: "B" });
  const serverOf = ({ code }: Example) => code.includes('edition: "B"') ? serverB : serverA;
  await inDirectory(async (directory) => {
    const files = all.map((_, i) => join(directory, `example_${i}.ts`));
    for (const [i, example] of all.entries()) {
      const { url } = placeOf(serverOf(example).address);
      await Deno.writeTextFile(files[i]!, moduleOf(example, url!));
    }
    const checked = [...files, ...writeTutorialFiles(directory)];
    const places = all.map(({ place }, i) => `example_${i}.ts is ${place}`).join("\n");
    const config = join(directory, "deno.json");
    await Deno.writeTextFile(
      config,
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, imports: PACKAGES }),
    );
    assert.equal(await complaintsOf("check", "--quiet", "--config", config, ...checked), "", places);
    for (const [i, { place }] of all.entries()) {
      await serverA.client().reset();
      try {
        await import(pathToFileURL(files[i]!).href);
      } catch (error) {
        assert.fail(`${place}: ${error instanceof Error ? error.stack : error}`);
      }
    }
  });
});

Deno.test("everything that the client exports is documented, and shows no type that it does not export", async () => {
  const modules = ["connections/", "mirror/", "schemas/", "testing/", ""].map((folder) =>
    `client/${folder}mod.ts`
  );
  assert.equal(await complaintsOf("doc", "--lint", ...modules), "");
});

Deno.test("every method of a public class has an example", () => {
  for (const path of sources("client/")) {
    const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    if (!/^export class (EventStore|Projections|Transaction\w*)\b/m.test(text)) continue;
    // A docstring, and the method that it documents.
    for (const [, comment, name] of text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s+(?:async )?\*?(\w+)[<(]/gs)) {
      if (name === "constructor") continue;
      assert.match(comment!, /```ts/, `${name} in ${path}`);
    }
  }
});
