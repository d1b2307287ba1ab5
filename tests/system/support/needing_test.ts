export interface Need {
  /** What this machine lacks for the test, if anything. */
  readonly missing: string | undefined;
  /** Whether nobody could expect it here, such as programs of Debian where the system is another one. */
  readonly excused: boolean;
}

/**
 * Registers a test that needs something of the machine. Where that lacks it is ignored and its name says why;
 * with CI=true it fails instead, unless it is excused.
 */
export function needingTest(
  name: string,
  { missing, excused }: Need,
  test: () => void | Promise<void>,
): void {
  if (missing === undefined) return Deno.test(name, test);
  const ignore = excused || Deno.env.get("CI") !== "true";
  const fn = (): never => {
    throw new Error(missing);
  };
  Deno.test({ name: ignore ? `${name} (ignored: ${missing})` : name, ignore, fn });
}

/**
 * Whether a test that mounts may be ignored here, also with CI=true: only root can be expected to mount, and not
 * in a container that may not, which EVENTSTORE_WITHOUT_MOUNTS=1 says.
 */
export function excusedFromMounting(): boolean {
  return Deno.build.os !== "linux" || Deno.uid() !== 0 || Deno.env.get("EVENTSTORE_WITHOUT_MOUNTS") === "1";
}
