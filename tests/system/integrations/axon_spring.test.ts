import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { mavenTest } from "../support/java_tools.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";
import { AxonBuild, SHORT_TESTS } from "./axon_build.ts";
import { University } from "./axon_university.ts";

/*
 * The starter for Spring Boot, built from its folder by Maven. Its tests are Java:
 * integrations/axon/spring-boot-starter/src/test/. The sample application, integrations/axon/sample/, runs here
 * against a real server that is killed, and is killed itself.
 */

const TOKEN = "correct-horse-battery";
const CLAIM_TIMEOUT_SECONDS = 2;

interface Meter {
  readonly measurements: readonly { readonly statistic: string; readonly value: number }[];
}

await mavenTest("the starter passes its tests, and the sample survives kills", async (maven) => {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  await using build = await AxonBuild.create(maven);
  // The framework reports its use to its vendor otherwise.
  const silent = { AXONIQ_UPDATE_CHECKER_DISABLED: "true" };
  const only = ["-Dtest=eventstore/axon/spring/*Test", "-Dsurefire.failIfNoSpecifiedTests=false"];
  await build.run("sample", ["package", SHORT_TESTS, ...only], {
    ...silent,
    EVENTSTORE_TEST_AUTH_URL: tcpUrlOf(server),
    EVENTSTORE_TEST_TOKEN: TOKEN,
  });
  assert.deepEqual(await build.results("spring-boot-starter"), {
    "eventstore.axon.spring.ConflictRetryEnhancerTest": 3,
    "eventstore.axon.spring.EventStoreAutoConfigurationTest": 7,
    "eventstore.axon.spring.EventStoreHealthIndicatorTest": 4,
    "eventstore.axon.spring.PropertiesMetadataTest": 1,
  });

  await using university = new University(maven.java, build, {
    ...silent,
    EVENTSTORE_URL: tcpUrlOf(server),
    EVENTSTORE_TOKEN: TOKEN,
    EVENTSTORE_TOKENSTORE_CLAIMTIMEOUT: `${CLAIM_TIMEOUT_SECONDS}s`,
  });
  const enroll = (course: string, student: string): Promise<{ status: number; text: string }> =>
    university.request("PUT", `/courses/${course}/students/${student}`);
  /** How many of eight students at once get which answer. */
  const enrollEight = async (course: string): Promise<[string, number][]> => {
    const students = Array.from({ length: 8 }, (_, i) => `student${i}`);
    const answers = await Promise.all(students.map((student) => enroll(course, student)));
    const grouped = Object.groupBy(answers, ({ status, text }) => `${status} ${text}`);
    return Object.entries(grouped).map(([answer, same]): [string, number] => [answer, same!.length]).sort();
  };
  const shows = (course: string, seats: number, taken: number): Promise<void> =>
    eventually(async () => {
      assert.deepEqual(await university.get(`/courses/${course}`), { course, seats, taken });
    }, 30);
  const meter = async (name: string): Promise<number> => {
    const { measurements } = await university.get(`/actuator/metrics/${name}`) as Meter;
    return measurements[0]!.value;
  };
  const health = async (): Promise<string> =>
    /"eventstore":\{"status":"([A-Z]+)"/.exec(
      (await university.request("GET", "/actuator/health")).text,
    )![1]!;

  await university.start();
  assert.equal(await health(), "UP");
  assert.equal((await university.request("PUT", "/courses/maths?seats=3")).status, 200);
  assert.equal((await enroll("maths", "ada")).status, 200);
  await shows("maths", 3, 1);

  // The application waits for the server, and its event processor continues.
  await server.kill();
  assert.equal(await health(), "DOWN");
  const waiting = enroll("maths", "ben");
  await server.start();
  assert.equal((await waiting).status, 200);
  await shows("maths", 3, 2);
  assert.equal(await health(), "UP");

  // A process that was killed holds its claims until they time out.
  await university.kill();
  await university.start();
  // Of eight students at once, one gets the last seat of one course, and five those of the other.
  assert.deepEqual(await enrollEight("maths"), [["200 ", 1], ["409 the course maths is full", 7]]);
  await shows("maths", 3, 3);
  assert.equal((await university.request("PUT", "/courses/physics?seats=5")).status, 200);
  assert.deepEqual(await enrollEight("physics"), [["200 ", 5], ["409 the course physics is full", 3]]);
  await shows("physics", 5, 5);

  // One seat of maths, the course physics and its five seats.
  assert.equal(await meter("eventstore.events.appended"), 7);
  assert.ok(await meter("eventstore.append.conflicts") >= 1);
  assert.ok(await meter("eventstore.events.read?tag=by:source") >= 3 * 8);
  assert.ok(await meter("eventstore.events.read?tag=by:stream") >= 7);
  assert.equal(await meter("eventstore.stream.lag"), await meter("eventstore.events.read?tag=by:stream"));
  assert.ok(await meter("eventstore.requests?tag=endpoint:write&tag=status:409") >= 1);

  const { text } = await server.client({ authorization: `Bearer ${TOKEN}` })
    .request("QUERY", "/events", { json: { query: "*" } });
  assert.equal(text.match(/"student":/g)?.length, 3 + 5);
});
