import type { Outcome } from "./suite.ts";

/*
 * docs/compatibility.md: a table with a row for each suite, and a heading for each suite with tests that fail or do not
 * run. Below it, an item names such tests and says why: "- `a`, `b`: ..." or "- not run, `c`: ...".
 */

/** A run of a suite. */
export interface Result {
  readonly name: string;
  readonly version: string;
  readonly random: boolean;
  readonly outcome: Outcome;
  readonly seconds: number;
}

/** A row of the page. */
export interface Row {
  readonly version: string;
  readonly passed: number;
  /** True if runs may have more. */
  readonly orMore: boolean;
  readonly failed: number;
  readonly notRun: number;
}

const ROW = /^\| ([^|]+?) +\| (\S+) +\| +([\d,]+)(\+?) \| +(\d+) \| +(\d+) \| +(\d+) s \|$/gm;

/** The rows of the page by the names of the suites. */
export function rowsOf(page: string): Map<string, Row> {
  return new Map(
    [...page.matchAll(ROW)].map(([, name, version, passed, more, failed, notRun]) => [name!, {
      version: version!,
      passed: Number(passed!.replaceAll(",", "")),
      orMore: more === "+",
      failed: Number(failed),
      notRun: Number(notRun),
    }]),
  );
}

/** The tests of a suite that the page explains. */
export function explainedIn(page: string, name: string): Pick<Outcome, "failed" | "notRun"> {
  const [, section = ""] = page.split(new RegExp(`^### ${RegExp.escape(name)}$`, "m"));
  const [ofSuite] = section.split(/^#+ /m);
  const items = [...ofSuite!.matchAll(/^- (not run, )?((?:`[^`]+`[,\s]*)+):\s\S/gm)];
  const names = (ran: boolean): string[] =>
    items.filter(([, notRun]) => (notRun === undefined) === ran)
      .flatMap(([, , list]) => [...list!.matchAll(/`([^`]+)`/g)].map(([, test]) => test!)).sort();
  return { failed: names(true), notRun: names(false) };
}

/** Where a result and the page differ, each in one line. */
export function differences(page: string, { name, version, random, outcome }: Result): string[] {
  const row = rowsOf(page).get(name);
  if (row === undefined) return [`${name} has no row`];
  const found: string[] = [];
  const compare = (what: string, said: unknown, is: unknown): void => {
    if (said !== is) found.push(`${name}: ${what} is ${is}, and the page says ${said}`);
  };
  compare("version", row.version, version);
  if (!random || outcome.passed < row.passed) compare("passed", row.passed, outcome.passed);
  compare("failed", row.failed, outcome.failed.length);
  compare("not run", row.notRun, outcome.notRun.length);
  const explained = explainedIn(page, name);
  for (const kind of ["failed", "notRun"] as const) {
    const what = kind === "failed" ? "failed" : "was not run";
    const unexplained = outcome[kind].filter((test) => !explained[kind].includes(test));
    const outdated = explained[kind].filter((test) => !outcome[kind].includes(test));
    found.push(...unexplained.map((test) => `${name}: ${test} ${what}, and the page does not say why`));
    found.push(...outdated.map((test) => `${name}: the page says why ${test} ${what}, which is not so`));
  }
  return found;
}

/** The row of a result. Numbers of random tests are rounded down, so that other runs reach them. */
export function rowOf({ name, version, random, outcome, seconds }: Result): string {
  const passed = random ? Math.floor(outcome.passed / 1000) * 1000 : outcome.passed;
  const cells = [
    name,
    version,
    `${passed.toLocaleString("en")}${random ? "+" : ""}`,
    outcome.failed.length,
    outcome.notRun.length,
    `${Math.ceil(seconds)} s`,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The page with the rows of these results. A suite without a row is an error. */
export function withResults(page: string, results: readonly Result[]): string {
  const rows = new Map(results.map((result) => [result.name, rowOf(result)]));
  const written = page.replace(ROW, (row, name: string) => {
    const changed = rows.get(name);
    rows.delete(name);
    return changed ?? row;
  });
  for (const name of rows.keys()) throw new Error(`docs/compatibility.md has no row for ${name}: add one`);
  return written;
}
