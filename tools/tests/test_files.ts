/** Tests that need more of a machine than the runtime: `deno task test-system`. */
const SYSTEM = "tests/system/";

/** The test files that the arguments name or contain; without arguments all but the system tests. */
export function testFiles(args: readonly string[]): string[] {
  const paths = args.length === 0 ? ["tests"] : args;
  const files = [...new Set(paths.flatMap((path) => filesIn(path.replace(/\/+$/, ""))))].sort();
  return args.length === 0 ? files.filter((file) => !file.startsWith(SYSTEM)) : files;
}

/** True if a file measures time, and so must not share the machine. */
export function runsAlone(file: string): boolean {
  return file.endsWith(".alone.test.ts");
}

/** Matches paths of tests that look for lost or wrong data. There, a single failure is a finding. */
const ONE_FAILURE_COUNTS =
  /(?<![a-z])(?:audit|consistency|crash|failed_commit|groups|kill|lost|race|takeover)/;

/** More failed files than this have a common cause. */
const SECOND_RUNS_MAX = 3;

/** The failed files that run again, alone: the load may explain the failure of each. */
export function secondRunsOf(failed: readonly string[]): string[] {
  return failed.length > SECOND_RUNS_MAX ? [] : failed.filter((file) => !ONE_FAILURE_COUNTS.test(file));
}

function filesIn(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return filesIn(`${path}/${name}`);
    return name.endsWith(".test.ts") ? [`${path}/${name}`] : [];
  });
}
