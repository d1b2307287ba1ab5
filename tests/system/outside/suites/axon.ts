import { AXON, AxonBuild } from "../../integrations/axon_build.ts";
import { findMaven } from "../../support/java_tools.ts";
import { tcpUrlOf } from "../../support/tcp_url.ts";
import { startServer } from "../../../support/server_process.ts";
import type { Outcome, Suite } from "../suite.ts";
import { outcomeOfSurefire } from "../summaries.ts";

/* The suite of Axon Framework for storage engines, in Java, with a class in integrations/axon/engine/src/test/. */

const project = Deno.readTextFileSync(`${AXON}/pom.xml`);

export const AXON_FRAMEWORK: Suite = {
  word: "axon",
  name: "Axon StorageEngineTestSuite",
  version: /<axon\.version>([^<]+)</.exec(project)![1]!,
  random: false,
  run,
};

async function run(): Promise<Outcome> {
  const maven = await findMaven();
  const env = { SERVICE_DEV_MODE: "true" };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  await using build = await AxonBuild.create(maven);
  const onlyTheSuite = ["-Dtest=FrameworkSuiteTest", "-Dsurefire.failIfNoSpecifiedTests=false"];
  await build.run("engine", ["test", ...onlyTheSuite, "-Dmaven.test.failure.ignore=true"], {
    EVENTSTORE_TEST_URL: tcpUrlOf(server),
  });
  return outcomeOfSurefire(await build.report("engine", "eventstore.axon.FrameworkSuiteTest"));
}
