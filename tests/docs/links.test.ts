import assert from "node:assert/strict";

/* Every link of the pages has a target, and every page is reachable by links. */

const ROOT = new URL("../../", import.meta.url);
const NOT_OURS = new Set(["data", "dist", "node_modules", ".git", "coverage"]);

/** The pages where readers begin. */
const ENTRANCES = ["README.md", "docs/README.md"];

const pages = new Map(pagesIn("").map((path) => [path, Deno.readTextFileSync(new URL(path, ROOT))]));

function pagesIn(directory: string): string[] {
  return [...Deno.readDirSync(new URL(directory, ROOT))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return NOT_OURS.has(name) ? [] : pagesIn(`${directory}${name}/`);
    return name.endsWith(".md") ? [directory + name] : [];
  });
}

/** A page without its code, in which brackets mean something else. */
function proseOf(path: string): string {
  return pages.get(path)!.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "`code`");
}

/** The relative links of a page: path from the root, and the heading, if one is named. */
function linksOf(path: string): { readonly target: string; readonly heading: string | undefined }[] {
  return [...proseOf(path).matchAll(/\]\(([^)\s]*)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link!)) return [];
    const { href, hash } = new URL(link!, new URL(path, ROOT));
    const target = href.slice(ROOT.href.length, href.length - hash.length);
    return [{ target, heading: hash === "" ? undefined : hash.slice(1) }];
  });
}

/** The names of a page's headings in links. */
function headingsOf(path: string): Set<string> {
  const prose = pages.get(path)!.replace(/^```.*?^```$/gms, "");
  const names = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!.toLowerCase().replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(
      " ",
      "-",
    )
  );
  return new Set(names);
}

Deno.test("every relative link of every page leads to a file, and to a heading that is there", () => {
  const wrong: string[] = [];
  let links = 0;
  for (const path of pages.keys()) {
    for (const { target, heading } of linksOf(path)) {
      links++;
      const isThere = target === path || exists(target);
      const hasHeading = heading === undefined || !pages.has(target) || headingsOf(target).has(heading);
      if (!isThere || !hasHeading) {
        wrong.push(`${path}: ${target}${heading === undefined ? "" : `#${heading}`}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(links > 100, `only ${links} links were found`);
});

Deno.test("every page of docs/ and every README is found by following links from the first page, or from that of docs/", () => {
  for (const entrance of ENTRANCES) {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path) || !pages.has(path)) return;
      seen.add(path);
      for (const { target } of linksOf(path)) visit(target.endsWith("/") ? `${target}README.md` : target);
    };
    visit(entrance);
    const lost = [...pages.keys()].filter((path) => /^docs\/|README\.md$/.test(path) && !seen.has(path));
    assert.deepEqual(lost, [], `from ${entrance}`);
  }
});

function exists(path: string): boolean {
  try {
    Deno.statSync(new URL(path, ROOT));
    return true;
  } catch {
    return false;
  }
}
