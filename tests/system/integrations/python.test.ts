import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { readsInFlight } from "../../support/waiting_read.ts";
import { type ProxyPrograms, startProxy } from "../proxy/proxy.ts";
import { debianTest } from "../support/debian_program.ts";
import { needingTest } from "../../support/needing_test.ts";
import { missingForPython } from "../support/python_install.ts";
import { ADAPTER, type LibraryVersion, PythonEnvironment } from "./python_environment.ts";
import { endPythonTests, LIBRARY_FILES, TOKEN, urlOf } from "./python_tests.ts";

/*
 * The adapter for the Python library eventsourcing, from its folder, on the real server. It passes the library's own
 * tests of recorders, and its own, which are Python: integrations/python/tests/.
 */

/** The library's own tests, with the classes that bring them to the store. */
const LIBRARY_TESTS = [
  "test_library_suite.TestRecorderOfLibrary.test_append_read",
  "test_library_suite.TestRecorderOfLibrary.test_append_subscribe",
  "test_library_suite.TestProjectionsOfLibrary.test_event_counters_projection",
  "test_library_suite.TestProjectionsOfLibrary.test_run_forever_raises_projection_error",
  "test_library_aggregates.TestAggregateRecorder.test_insert_and_select",
  "test_library_aggregates.TestApplicationRecorder.test_insert_select",
  "test_library_aggregates.TestApplicationRecorder.test_insert_subscribe",
  "test_library_aggregates.TestNonInterleaving.test",
  "test_library_aggregates.TestTrackingRecorder.test_insert_tracking",
  "test_library_aggregates.TestTrackingRecorder.test_wait",
  "test_library_aggregates.TestProcessRecorder.test_insert_select",
  "test_library_aggregates.TestProcessRecorder.test_has_tracking_id",
  "test_library_aggregates.TestProcessRecorder.test_raises_when_lower_inserted_later",
  "test_library_aggregates.TestFactory.test_create_process_recorder",
  "test_library_aggregates.TestFactory.test_create_tracking_recorder",
  "test_library_aggregates.TestExampleApplication.test_example_application",
  "test_library_aggregates.TestApplication.test_save_returns_recording_event",
  "test_library_aggregates.TestView.test",
  "test_library_aggregates.TestAggregateProjection.test_event_counters_projection",
  "test_library_aggregates.TestDecisionProjection.test_event_counters_projection",
  "test_library_aggregates.TestEventSourcedProjection.test_event_sourced_projection",
];

const missing = await missingForPython();
let environment: PythonEnvironment;

Deno.test.beforeAll(async () => {
  if (missing === undefined) environment = await PythonEnvironment.create();
});

Deno.test.afterAll(async () => {
  await environment?.[Symbol.asyncDispose]();
});

/** Not every python3 can make environments, and the machine need not have another one. */
function pythonTest(name: string, test: () => Promise<void>): void {
  needingTest(name, { missing, excused: true }, test);
}

/** The tests of the adapter that do not depend on the version of the library. They run with 9.5 only. */
const VERSIONLESS_FILES = [
  "test_async_connection",
  "test_client",
  "test_consume",
  "test_consume_faults",
  "test_consume_groups",
  "test_consumer_processes",
  "test_factory",
  "test_patience",
  "test_readme",
  "test_subscription",
  "test_systems",
  "test_tracing",
];

/** Runs tests of the adapter's folder; returns what they print. */
async function runPythonTests(library: LibraryVersion, files: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await endPythonTests(environment, library, files);
  const printed = stdout + stderr;
  assert.equal(code, 0, printed);
  assert.doesNotMatch(printed, /ResourceWarning/);
  return printed;
}

for (const library of ["9.5", "10"] as const) {
  pythonTest(`eventsourcing ${library}: the library's own tests`, async () => {
    const printed = await runPythonTests(library, LIBRARY_FILES);
    for (const name of LIBRARY_TESTS) {
      const test = name.split(".").at(-1);
      assert.match(printed, new RegExp(`^${test} \\(tests\\.${name.replaceAll(".", "\\.")}\\).* ok$`, "m"));
    }
  });

  pythonTest(`eventsourcing ${library}: the adapter's tests`, async () => {
    const files = Array.from(Deno.readDirSync(`${ADAPTER}/tests`), ({ name }) => name)
      .filter((name) => /^test_.+\.py$/.test(name))
      .map((name) => name.slice(0, -".py".length));
    for (const known of [...LIBRARY_FILES, ...VERSIONLESS_FILES]) assert.ok(files.includes(known), known);
    const left = library === "9.5" ? LIBRARY_FILES : [...LIBRARY_FILES, ...VERSIONLESS_FILES];
    await runPythonTests(library, files.filter((file) => !left.includes(file)));
  });
}

pythonTest("a subscription continues when the server is restarted or killed", async () => {
  await using server = await startServer({ listen: "tcp" });
  const client = server.client();
  const write = (): Promise<unknown> => client.append({ type: "t", payload: "" });
  await using follower = new Deno.Command(environment.python, {
    args: ["-m", "tests.follow", "3"],
    cwd: environment.directory,
    env: {
      ...environment.variables("9.5"),
      EVENTSTORE_URL: urlOf(server),
      EVENTSTORE_RETRY_SECONDS: "60",
    },
    stdout: "piped",
  }).spawn();
  let printed = "";
  const reading = (async () => {
    for await (const text of follower.stdout.pipeThrough(new TextDecoderStream())) printed += text;
  })();
  const prints = (text: string): Promise<void> => eventually(() => assert.equal(printed, text), 30);

  await write();
  await prints("1\n");
  await server.restart();
  await write();
  await prints("1\n2\n");
  await server.kill();
  await server.start();
  await write();
  assert.equal((await follower.status).code, 0);
  await reading;
  assert.equal(printed, "1\n2\n3\n");
});

async function followOverHttps(programs: ProxyPrograms): Promise<void> {
  const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  await using server = await startServer({ listen: "unix", listenOnly: true, env });
  await using proxy = await startProxy("nginx", programs, server.address);
  const authority = join(server.directory, "authority.pem");
  await Deno.writeTextFile(authority, proxy.certificate);
  const client = server.client({ authorization: `Bearer ${TOKEN}` });
  await client.append({ type: "t", payload: "" });
  const following = environment.run(["-m", "tests.follow", "2"], {
    ...environment.variables("9.5"),
    EVENTSTORE_URL: proxy.httpsUrl,
    EVENTSTORE_TOKEN: TOKEN,
    SSL_CERT_FILE: authority,
  });
  await eventually(async () => assert.equal((await readsInFlight(client)).waiting, 1), 30);
  await client.append({ type: "t", payload: "" });
  assert.equal(await following, "1\n2\n");
}

if (missing === undefined) {
  await debianTest(
    ["nginx", "caddy", "openssl"],
    "a subscription over HTTPS, through nginx",
    followOverHttps,
  );
}

pythonTest("the adapter and its tests agree with their types", async () => {
  const config = ["--config-file", `${ADAPTER}/pyproject.toml`, "--cache-dir", "/dev/null"];
  const folders = ["eventsourcing_eventstore", "examples", "tests"].map((folder) => `${ADAPTER}/${folder}`);
  await environment.run(["-m", "mypy", ...config, ...folders]);
});
