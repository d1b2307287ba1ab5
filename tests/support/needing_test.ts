export interface Need {
  /** The reason why this machine cannot run the test, if there is one. */
  readonly missing: string | undefined;
  /** True when the machine is not expected to have it, such as programs of Debian on another system. */
  readonly excused: boolean;
}

/**
 * Registers a test that needs something of the machine. Where it is missing, the test is ignored and its name says
 * why. With CI=true it fails instead, unless it is excused.
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

/** Returns why this machine cannot run a program, or undefined if it can. */
export function problemOf(program: string): string | undefined {
  try {
    const { success } = new Deno.Command(program, { args: ["--version"] }).outputSync();
    return success ? undefined : `${program} fails`;
  } catch {
    return `there is no ${program}`;
  }
}

/**
 * True when a test that mounts may be ignored here, also with CI=true. Only root can be expected to mount, and not in
 * a container that may not, which EVENTSTORE_WITHOUT_MOUNTS=1 says.
 */
export function excusedFromMounting(): boolean {
  return Deno.build.os !== "linux" || Deno.uid() !== 0 || Deno.env.get("EVENTSTORE_WITHOUT_MOUNTS") === "1";
}
