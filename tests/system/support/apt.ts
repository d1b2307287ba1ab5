import { join } from "node:path";
import { runCommand } from "../../support/run_command.ts";

/*
 * apt with a state of its own: it reads which packages the machine has and where it gets them from, and
 * writes below `cache` only, so that it needs no root and leaves the system as it is.
 */

const TIMEOUT_SECONDS = 300;

/** Runs `apt-get` and returns what it printed to standard output. */
export async function aptGet(
  cache: string,
  args: readonly string[],
  options: { readonly directory?: string; readonly mayFail?: boolean } = {},
): Promise<string> {
  const config = join(cache, "apt.conf");
  Deno.mkdirSync(join(cache, "lists", "partial"), { recursive: true });
  Deno.mkdirSync(join(cache, "archives", "partial"), { recursive: true });
  Deno.writeTextFileSync(config, configText(cache));
  return await run("apt-get", ["--quiet", "--config-file", config, ...args], options);
}

function configText(cache: string): string {
  return [
    // Hooks of the machine work on the machine's own lists and archives.
    "#clear APT::Update::Pre-Invoke;",
    "#clear APT::Update::Post-Invoke;",
    "#clear APT::Update::Post-Invoke-Success;",
    `Dir::State::lists "${cache}/lists";`,
    `Dir::Cache "${cache}";`,
    // As root, apt would fetch as a user who cannot write here.
    'APT::Sandbox::User "";',
    'Acquire::Languages "none";',
    'Acquire::Retries "2";',
    'Acquire::http::Timeout "20";',
    "",
  ].join("\n");
}

/** Runs a program to its end; an exit code other than 0 is an error that says what it printed. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly directory?: string; readonly mayFail?: boolean } = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand([program, ...args], {
    ...(options.directory === undefined ? {} : { cwd: options.directory }),
    env: { LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
  });
  if (code !== 0 && options.mayFail !== true) {
    throw new Error(`${program} ended with ${code}: ${stderr.trim()}`);
  }
  return stdout;
}
