import assert from "node:assert/strict";
import { trackedFiles } from "./support/tracked_files.ts";

/*
 * The structure of the repository: imports point down only and form no cycles, every file is reachable from a program,
 * and no stray files are tracked.
 */

const ROOT = new URL("../", import.meta.url);

const tracked = await trackedFiles(ROOT.pathname);

/** Folders by height. A file may import from its own folder and from lower ones, not from its equals. */
const HEIGHTS: Readonly<Record<string, number>> = {
  "src/model": 0,
  "src/files": 0,
  "src/wire": 1,
  "src/log": 0,
  "src/metrics": 0,
  "src/async": -1,
  "src/time": -1,
  "src/workers": 0,
  "src/config": 1,
  "src/store": 2,
  "src/http": 2,
  "src/write_queue": 3,
  "src/backup": 3,
  "src/shell": 3,
  "src/view": 4,
  "src/editions": 5,
  "src/server": 6,
  "cli": 7,
  "client": 0,
  "explorer": 6,
  ".": 8,
};

/** Modules that users start, or import from outside. */
const PROGRAMS = [
  "main.ts",
  "cli/init.ts",
  "cli/backup.ts",
  "cli/client.ts",
  "client/mod.ts",
  "client/testing/mod.ts",
  "client/connections/mod.ts",
  "client/mirror/mod.ts",
  "client/schemas/mod.ts",
  "explorer/page/page.ts",
];

/** Every TypeScript file, by its path from the root, with the paths that it imports or starts as a worker. */
const files = new Map(
  tracked.filter((path) => path.endsWith(".ts")).map((path) => [path, importsOf(path)]),
);

/** The files of the programs: those that users start, and all that these import. */
const modules = new Map(
  [...files].filter(([path]) => /^(?:src|cli|client|explorer)\/|^main\.ts$/.test(path)),
);

function importsOf(path: string): string[] {
  const url = new URL(path, ROOT);
  const text = Deno.readTextFileSync(url);
  const specifiers = text.matchAll(/(?:\bfrom|\bimport\(?|new URL\()\s*"(\.{1,2}\/[^"]+)"/g);
  return [...specifiers].map(([, specifier]) => new URL(specifier!, url).href.slice(ROOT.href.length));
}

function folderOf(path: string): string {
  const parts = path.split("/");
  if (parts.length === 1) return ".";
  return parts[0] === "src" ? parts.slice(0, 2).join("/") : parts[0]!;
}

Deno.test("imports point down only, and folders of one height do not import each other", () => {
  const wrong: string[] = [];
  for (const [path, imports] of modules) {
    for (const imported of imports) {
      const [from, to] = [folderOf(path), folderOf(imported)];
      assert.ok(from in HEIGHTS, `${from} has no height in this test`);
      assert.ok(to in HEIGHTS, `${to} has no height in this test`);
      if (from !== to && HEIGHTS[from]! <= HEIGHTS[to]!) wrong.push(`${path} imports ${imported}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("editions do not import each other, and what they share imports none of them", () => {
  const roomOf = (path: string): string | undefined => /^src\/editions\/(\w+)\//.exec(path)?.[1];
  const wrong: string[] = [];
  for (const [path, imports] of modules) {
    for (const imported of imports) {
      const [from, to] = [roomOf(path), roomOf(imported)];
      if (from !== undefined && to !== undefined && from !== to && to !== "shared") {
        wrong.push(`${path} imports ${imported}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("only what opens a store, and backups, know that it is SQLite", () => {
  const mayKnow = /^(src\/store\/sqlite|src\/backup|cli)\/|^src\/server\/start_server\.ts$/;
  for (const [path, imports] of modules) {
    const known = imports.filter((imported) => imported.startsWith("src/store/sqlite/"));
    if (!mayKnow.test(path)) assert.deepEqual(known, [], path);
  }
});

Deno.test("only what opens and creates a store, and the start of the server, know PostgreSQL", () => {
  const mayKnow = /^(src\/store\/postgres|cli)\/|^src\/server\/start_server\.ts$|^main\.ts$/;
  for (const [path, imports] of modules) {
    const known = imports.filter((imported) => imported.startsWith("src/store/postgres/"));
    if (!mayKnow.test(path)) assert.deepEqual(known, [], path);
  }
});

Deno.test("the model imports nothing from outside itself", () => {
  for (const [path] of modules) {
    if (!path.startsWith("src/model/")) continue;
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    for (const [, specifier] of text.matchAll(/\bfrom\s*"([^"]+)"/g)) {
      assert.match(specifier!, /^\.\/\w+\.ts$/, `${path} imports ${specifier}`);
    }
  }
});

Deno.test("the client imports nothing from outside itself, and of Node only types, except where no browser loads it", () => {
  const paths = [...modules.keys()].filter((path) => path.startsWith("client/"));
  assert.ok(paths.length > 10);
  for (const path of paths) {
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    for (const [line, specifier] of text.matchAll(/^(?:import|export) [^;]*?\bfrom "([^"]+)";$/gms)) {
      if (specifier!.startsWith("./") || specifier!.startsWith("../")) continue;
      if (path.startsWith("client/connections/")) {
        assert.match(specifier!, /^node:(net|buffer|stream\/consumers)$/, path);
      } else assert.match(line, /^import type /, path);
    }
    for (const imported of modules.get(path)!) {
      assert.ok(imported.startsWith("client/"), `${path} imports ${imported}`);
      const isForBrowsers = !path.startsWith("client/connections/");
      assert.ok(!isForBrowsers || !imported.startsWith("client/connections/"), `${path} imports ${imported}`);
    }
  }
});

Deno.test("only the client for shells and the explorer import the client, and backups what reads answers", () => {
  for (const [path, imports] of modules) {
    if (/^(client|src\/shell|explorer)\//.test(path)) continue;
    const mayImport = path.startsWith("src/backup/") ? /^client\/connections\/answer_\w+\.ts$/ : /^$/;
    const wrong = imports.filter((imported) => imported.startsWith("client/") && !mayImport.test(imported));
    assert.deepEqual(wrong, [], path);
  }
});

Deno.test("a reader starts without a timer and without modules of Node, except for the driver", () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    assert.doesNotMatch(text, /\b(?:setTimeout|setInterval)\(/, path);
    // Type imports load no module.
    for (const [, specifier] of text.matchAll(/^(?:import|export) (?!type ).*?\bfrom "([^"]+)";$/gms)) {
      if (specifier!.startsWith(".")) {
        visit(new URL(specifier!, new URL(path, ROOT)).href.slice(ROOT.href.length));
      } else assert.equal(specifier, "node:sqlite", path);
    }
  };
  visit("src/store/sqlite/workers/reader_worker.ts");
  assert.ok(seen.size > 20, `only ${seen.size} modules were found`);
});

function assertNoCycle(imports: ReadonlyMap<string, readonly string[]>): void {
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    assert.ok(!above.includes(path), `a circle: ${[...above, path].join(" -> ")}`);
    if (done.has(path)) return;
    for (const imported of imports.get(path) ?? []) visit(imported, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
}

Deno.test("imports do not go in circles, in any folder", () => {
  const folders = new Set([...files.keys()].map((path) => path.split("/")[0]!));
  for (const folder of ["src", "cli", "client", "explorer", "audit", "bench", "tools", "tests", "examples"]) {
    assert.ok(folders.has(folder), folder);
  }
  assertNoCycle(files);
});

Deno.test("the modules of the Python package do not import each other in circles", () => {
  const paths = tracked.filter((path) => /^integrations\/python\/(?:\w+\/)+\w+\.py$/.test(path));
  const moduleOf = (path: string): string =>
    path.slice("integrations/python/".length, -3).replaceAll("/", ".");
  const imports = paths.map((path) => {
    const text = Deno.readTextFileSync(new URL(path, ROOT));
    return [
      moduleOf(path),
      [...text.matchAll(/^\s*(?:from|import) (\w+(?:\.\w+)+)/gm)].map(([, name]) => name!),
    ];
  });
  assert.ok(imports.length > 5);
  assertNoCycle(new Map(imports as [string, string[]][]));
});

Deno.test("every file is reached from a program", () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const imported of modules.get(path) ?? []) visit(imported);
  };
  PROGRAMS.forEach(visit);
  assert.deepEqual([...modules.keys()].filter((path) => !reached.has(path)), []);
});

Deno.test("every path that docs/architecture.md and a DESIGN.md name exists", () => {
  const folders = /^(?:src|cli|client|explorer|tests|bench|tools|deploy|integrations|examples|audit)\//;
  const designs = ["src/store/", "src/store/postgres/", "src/http/", "src/workers/"];
  let count = 0;
  for (const page of ["docs/architecture.md", ...designs.map((folder) => `${folder}DESIGN.md`)]) {
    const text = Deno.readTextFileSync(new URL(page, ROOT));
    for (const [, path] of text.matchAll(/`([\w/]+(?:\/|\.ts|\.sql))`/g)) {
      if (!folders.test(path!) && page === "docs/architecture.md") continue;
      count++;
      Deno.statSync(new URL(path!, folders.test(path!) ? ROOT : new URL(page, ROOT)));
    }
  }
  assert.ok(count > 80);
});

Deno.test("files are named in snake_case and no name says manager, helper or util", () => {
  for (const path of files.keys()) {
    const name = path.split("/").at(-1)!;
    assert.match(name, /^[a-z0-9]+(_[a-z0-9]+)*(?:(?:\.alone)?\.test|\.d)?\.ts$/, path);
    assert.doesNotMatch(name, /manager|helper|util/, path);
  }
});

/**
 * The names at the top of the repository. Another name needs a reason that visitors understand: a tool that requires
 * it there, or a part of the project that docs/architecture.md describes.
 */
const TOP_LEVEL = [
  ...[".ci", ".dockerignore", ".gitattributes", ".github", ".gitignore"],
  ...["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "config.example.toml", "docs", "examples"],
  ...["deno.json", "deno.lock", "main.ts", "src", "cli", "client", "explorer", "integrations", "deploy"],
  ...["audit", "bench", "tests", "tools"],
];

Deno.test("nothing stands at the top of the repository that is not in the list", () => {
  const names = new Set(tracked.map((path) => path.split("/")[0]!));
  assert.deepEqual([...names].sort(), TOP_LEVEL.toSorted());
});

Deno.test("no log, profile or heap snapshot is tracked", () => {
  assert.ok(tracked.length > 1000);
  assert.deepEqual(tracked.filter((path) => /\.(log|cpuprofile|heapsnapshot)$/.test(path)), []);
});
