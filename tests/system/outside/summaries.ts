import type { Ended } from "../../support/run_command.ts";
import type { Outcome } from "./suite.ts";

/*
 * Reads the outcome of a suite from the output of its runner. Output without a summary is an error, as is one that
 * counts other tests than it names.
 */

/** Reads the output of a runner that has ended. Its exit code must agree: some end badly without a failed test. */
export function outcomeOf(
  read: (printed: string) => Outcome,
  { code, stdout, stderr }: Ended,
): Outcome {
  const outcome = read(stdout + stderr);
  if ((code !== 0) === outcome.failed.length > 0) return outcome;
  throw new Error(
    `the runner ended with ${code} and ${outcome.failed.length} failed tests\n${stdout}${stderr}`,
  );
}

/** The outcome of `cargo test -- --show-output`. The suite prints SKIP in tests that it leaves out. */
export function outcomeOfCargo(printed: string): Outcome {
  const [, passed, failed] = /^test result: \w+\. (\d+) passed; (\d+) failed;/m.exec(printed) ??
    missing(printed);
  const notRun = namesIn(printed, /^SKIP (\w+): /gm);
  const failures = namesIn(printed, /^test (?:\w+::)*(\w+) \.\.\. FAILED$/gm);
  if (failures.length !== Number(failed)) throw unclear(printed);
  return { passed: Number(passed) - notRun.length, failed: failures, notRun };
}

/** The outcome of `python -m unittest --verbose`. */
export function outcomeOfUnittest(printed: string): Outcome {
  const [, ran] = /^Ran (\d+) tests? in /m.exec(printed) ?? missing(printed);
  const [, ended] = /^(?:OK|FAILED)(?: \((.*)\))?$/m.exec(printed) ?? missing(printed);
  const count = (what: string): number => Number(new RegExp(`\\b${what}=(\\d+)`).exec(ended ?? "")?.[1] ?? 0);
  const failed = namesIn(printed, /^(?:FAIL|ERROR): \w+ \(tests\.([\w.]+)\)/gm);
  const notRun = namesIn(printed, /^\w+ \(tests\.([\w.]+)\)(?:\n.*)? \.\.\. skipped /gm);
  // A test with several subtests that fail counts several times.
  const failures = count("failures") + count("errors");
  const fits = failed.length <= failures && (failed.length > 0) === (failures > 0);
  if (!fits || notRun.length !== count("skipped")) throw unclear(printed);
  return { passed: Number(ran) - failed.length - notRun.length, failed, notRun };
}

/**
 * The outcome of a class of tests in Java, from the XML that Maven writes. The counts at its top leave out classes with
 * nested ones, so tests are counted one by one.
 */
export function outcomeOfSurefire(xml: string): Outcome {
  const tests = [...xml.matchAll(/<testcase name="([^"]+)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs)];
  if (tests.length === 0 || !xml.trimEnd().endsWith("</testsuite>")) missing(xml);
  const withA = (element: RegExp): string[] =>
    tests.filter(([, , content]) => element.test(content ?? "")).map(([, name]) => name!).sort();
  const failed = withA(/<(?:failure|error)[ />]/);
  const notRun = withA(/<skipped[ />]/);
  return { passed: tests.length - failed.length - notRun.length, failed, notRun };
}

/** The outcome of Schemathesis. Its tests are requests, and what fails has the name of an operation. */
export function outcomeOfSchemathesis(printed: string): Outcome {
  const [, cases] = /^Test cases:\n +(.*)$/m.exec(printed) ?? missing(printed);
  const count = (what: string): number => Number(new RegExp(`(\\d+) ${what}\\b`).exec(cases!)?.[1] ?? 0);
  const failed = namesIn(printed, /^_{3,} ([A-Z]+ \/\S*) _{3,}$/gm);
  if ((count("found") > 0 || count("failed") > 0) !== (failed.length > 0)) throw unclear(printed);
  return { passed: count("passed"), failed, notRun: [] };
}

function namesIn(printed: string, pattern: RegExp): string[] {
  return [...new Set([...printed.matchAll(pattern)].map(([, name]) => name!))].sort();
}

function missing(printed: string): never {
  throw new Error(`the runner printed no summary:\n${printed}`);
}

function unclear(printed: string): Error {
  return new Error(`the runner's summary counts other tests than it names:\n${printed}`);
}
