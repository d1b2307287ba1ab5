/** The outcome of the tests of one file, or of several. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

const SUMMARY =
  /^(?:ok|FAILED) \| (\d+) passed(?: \(.*?\))? \| (\d+) failed(?: \(.*?\))?(?: \| (\d+) ignored)?/gm;

/** Read from what `deno test` printed last. A process that failed without a summary counts as one failed test. */
export function outcomeOf(output: string, success: boolean): Outcome {
  const [, passed, failed, ignored] = [...output.matchAll(SUMMARY)].at(-1) ?? [];
  const counted = { passed: Number(passed ?? 0), failed: Number(failed ?? 0), ignored: Number(ignored ?? 0) };
  return !success && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
}

export function sumOf(outcomes: readonly Outcome[]): Outcome {
  const sum = (key: keyof Outcome): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), ignored: sum("ignored") };
}

/** The line that a run ends with, as `deno test` prints it. */
export function summaryOf({ passed, failed, ignored }: Outcome, seconds: number): string {
  const verdict = failed === 0 ? "ok" : "FAILED";
  return `${verdict} | ${passed} passed | ${failed} failed | ${ignored} ignored (${Math.round(seconds)}s)`;
}
