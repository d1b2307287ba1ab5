import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Maven, SHORT_RUN } from "../support/java_tools.ts";

/** The Maven project of the integration with Axon Framework. */
export const AXON = fileURLToPath(new URL("../../../integrations/axon", import.meta.url));

/** Makes the Java of the tests start fast. Measurements of speed do without it. */
export const SHORT_TESTS = `-DargLine=${SHORT_RUN.join(" ")}`;

/** A copy of the Maven project, so that several tests can build it at once. */
export class AxonBuild implements AsyncDisposable {
  readonly directory: string;
  readonly #maven: Maven;

  private constructor(maven: Maven, directory: string) {
    this.#maven = maven;
    this.directory = directory;
  }

  static async create(maven: Maven): Promise<AxonBuild> {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_axon_" });
    await copyFolder(AXON, directory);
    return new AxonBuild(maven, directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }

  /**
   * Runs goals of Maven on a module and the modules that it needs, and returns what it prints. The tests see these
   * variables.
   */
  async run(
    module: string,
    goals: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    return await this.#maven.run(this.directory, ["--projects", module, "--also-make", ...goals], env);
  }

  /** The report of Maven on the tests of a class, in XML. */
  async report(module: string, className: string): Promise<string> {
    const reports = join(this.directory, module, "target/surefire-reports");
    return await Deno.readTextFile(join(reports, `TEST-${className}.xml`));
  }

  /** How many tests of each class have passed. It fails if a test was skipped or failed. */
  async results(module: string): Promise<Record<string, number>> {
    const reports = join(this.directory, module, "target/surefire-reports");
    const passed: Record<string, number> = {};
    for await (const { name } of Deno.readDir(reports)) {
      const tested = /^TEST-(.+)\.xml$/.exec(name)?.[1];
      if (tested === undefined) continue;
      const report = await Deno.readTextFile(join(reports, name));
      const bad = report.match(/<(?:error|failure|skipped)[ />]/g) ?? [];
      if (bad.length > 0) throw new Error(`${tested} has failed or skipped tests\n${report}`);
      passed[tested] = report.match(/<testcase /g)?.length ?? 0;
    }
    return passed;
  }
}

/** Copies a folder, but for what Maven has built in it. */
async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (!isDirectory) await Deno.copyFile(join(from, name), join(to, name));
    else if (name !== "target") await copyFolder(join(from, name), join(to, name));
  }
}
