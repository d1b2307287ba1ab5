import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { mavenTest } from "../support/java_tools.ts";
import { AxonBuild, urlOf } from "./axon_build.ts";

/*
 * The storage engine for Axon Framework, built from its folder by Maven. Its tests are Java:
 * integrations/axon/engine/src/test/. They pass on real servers, which this file starts.
 */

const TOKEN = "correct-horse-battery";

function startTcp(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return startServer({ listen: "tcp", listenOnly: true, env });
}

await mavenTest("the engine passes its tests", async (maven) => {
  await using plain = await startTcp({ SERVICE_DEV_MODE: "true" });
  await using auth = await startTcp({ SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN });
  await using build = await AxonBuild.create(maven);
  await build.run("engine", ["package"], {
    EVENTSTORE_TEST_URL: urlOf(plain),
    EVENTSTORE_TEST_AUTH_URL: urlOf(auth),
    EVENTSTORE_TEST_TOKEN: TOKEN,
  });
  assert.deepEqual(await build.results("engine"), {
    "eventstore.axon.EventStoreConnectionTest": 7,
    "eventstore.axon.FrameworkSuiteTest": 31,
    "eventstore.axon.tokens.EventStoreTokenStoreTest": 15,
    "eventstore.axon.tokens.TokenStoreContextTest": 9,
  });
});
