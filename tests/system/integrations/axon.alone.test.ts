import assert from "node:assert/strict";
import { join } from "node:path";
import { delay } from "../../../src/async/delay.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { mavenTest } from "../support/java_tools.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";
import { AXON, AxonBuild, SHORT_TESTS } from "./axon_build.ts";

/*
 * The storage engine for Axon Framework, built from its folder by Maven. Its tests are Java:
 * integrations/axon/engine/src/test/. They pass on real servers, which this file starts. Tests of the framework give an
 * answer half a second, so this file runs alone.
 */

const TOKEN = "correct-horse-battery";

/** KilledServerTest writes 150 events. */
const KILLED_AT = [30, 60, 90];

function startTcp(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServer({ listen: "tcp", listenOnly: true, env });
}

/** Kills the server each time that the store has so many events, and starts it again. Returns how often. */
async function killAgainAndAgain(server: ServerProcess, signal: AbortSignal): Promise<number> {
  const client = server.client();
  let kills = 0;
  while (kills < KILLED_AT.length && !signal.aborted) {
    const { reply } = await client.queryEvents("*", { limit: 1 });
    const head = Number(reply.headers.get("x-service-head"));
    assert.ok(Number.isInteger(head));
    if (head < KILLED_AT[kills]!) {
      await delay(10);
      continue;
    }
    await server.kill();
    await server.start();
    kills++;
  }
  return kills;
}

Deno.test("the Java of docs/axon.md is that of a test", async () => {
  const root = new URL("../../../", import.meta.url);
  const source = await Deno.readTextFile(
    join(AXON, "engine/src/test/java/eventstore/axon/ApplicationTest.java"),
  );
  const lines = new Set(source.split("\n").map((line) => line.trim()));
  const page = await Deno.readTextFile(new URL("docs/axon.md", root));
  const shown = [...page.matchAll(/^```java\n(.*?)^```/gms)].flatMap(([, block]) =>
    block!.trim().split("\n")
  );
  assert.ok(shown.length > 10);
  for (const line of shown) assert.ok(lines.has(line.trim()), line);
});

await mavenTest("the engine passes its tests, also on a server that is killed", async (maven) => {
  await using plain = await startTcp({ SERVICE_DEV_MODE: "true" });
  await using auth = await startTcp({ SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN });
  await using killed = await startTcp();
  await using build = await AxonBuild.create(maven);
  const ended = new AbortController();
  const killing = killAgainAndAgain(killed, ended.signal);
  try {
    await build.run("engine", ["package", SHORT_TESTS], {
      EVENTSTORE_TEST_URL: tcpUrlOf(plain),
      EVENTSTORE_TEST_AUTH_URL: tcpUrlOf(auth),
      EVENTSTORE_TEST_KILLED_URL: tcpUrlOf(killed),
      EVENTSTORE_TEST_TOKEN: TOKEN,
    });
  } finally {
    ended.abort();
    await killing;
  }
  assert.equal(await killing, KILLED_AT.length);
  assert.deepEqual(await build.results("engine"), {
    "eventstore.axon.AppendTest": 8,
    "eventstore.axon.ApplicationTest": 1,
    "eventstore.axon.EventStoreConnectionTest": 8,
    "eventstore.axon.FrameworkSuiteTest": 31,
    "eventstore.axon.KilledServerTest": 1,
    "eventstore.axon.LossyFrameworkSuiteTest": 31,
    "eventstore.axon.MappingTest": 10,
    "eventstore.axon.PayloadsTest": 5,
    "eventstore.axon.StreamTest": 8,
    "eventstore.axon.tokens.EventProcessorTest": 2,
    "eventstore.axon.tokens.EventStoreTokenStoreTest": 15,
    "eventstore.axon.tokens.TokenStoreContextTest": 9,
  });
});
