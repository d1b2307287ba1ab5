import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../support/run_command.ts";
import { madeOnce } from "../support/made_once.ts";
import { pythonProgram } from "../support/python_tools.ts";

/*
 * Runs the tests of the client's traces with a real OpenTelemetry Collector between the client and the test: deno task
 * test-traces. The Collector is built from source, once, in the cache directory. That takes minutes, so `.ci/run`
 * leaves it out. Both programs come in exact versions: Go by its hash, the modules of the Collector by go.sum.
 */

const SOURCES = fileURLToPath(new URL("collector", import.meta.url));
const BUILD_SECONDS_MAX = 1800;

/** @returns the path of the program */
async function buildCollector(): Promise<string> {
  const go = await pythonProgram("go", "go");
  const files = ["main.go", "go.mod", "go.sum"].map((name) => join(SOURCES, name));
  const directory = await madeOnce("collector", files, async (directory) => {
    // Go keeps sources and objects in these. Only the program stays.
    const work = await Deno.makeTempDir({ prefix: "eventstore_collector_" });
    try {
      const { code, stderr } = await runCommand(
        [go, "build", "-mod=readonly", "-modcacherw", "-trimpath", "-o", join(directory, "collector"), "."],
        {
          cwd: SOURCES,
          env: { GOPATH: join(work, "path"), GOCACHE: join(work, "cache"), GOTOOLCHAIN: "local" },
          signal: AbortSignal.timeout(BUILD_SECONDS_MAX * 1000),
        },
      );
      if (code !== 0) throw new Error(`the Collector cannot be built: ${stderr.trim()}`);
    } finally {
      await Deno.remove(work, { recursive: true });
    }
  });
  return join(directory, "collector");
}

const runner = fileURLToPath(new URL("../../../tools/tests/main.ts", import.meta.url));
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["run", "--quiet", "--no-prompt", "--allow-all", runner, "tests/client/tracing.test.ts"],
  env: { EVENTSTORE_TEST_COLLECTOR: await buildCollector() },
  stdin: "null",
}).spawn().status;
Deno.exitCode = code;
