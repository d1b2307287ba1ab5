import type { Ended } from "../../support/run_command.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import type { LibraryVersion, PythonEnvironment } from "./python_environment.ts";

/* The tests in integrations/python/tests/, on servers with the settings that they need. */

/** The files with the library's own tests. All others have those of the adapter. */
export const LIBRARY_FILES = ["test_library_aggregates", "test_library_suite"];

export const TOKEN = "correct-horse-battery";

/** The address of a server as the adapter takes it. */
export function urlOf({ address }: ServerProcess): string {
  return address.transport === "unix" ? `unix:${address.path}` : `http://${address.hostname}:${address.port}`;
}

/** Runs tests of the adapter's folder on two servers to their end, however they end. */
export async function endPythonTests(
  environment: PythonEnvironment,
  library: LibraryVersion,
  files: readonly string[],
): Promise<Ended> {
  const devMode = { SERVICE_DEV_MODE: "true", SERVICE_SUBJECTS: "person" };
  const auth = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
  // A test of the library inserts 1,000 events at once.
  const large = { SERVICE_MAX_EVENTS_PER_WRITE: "1000" };
  await using unix = await startServer({ listen: "unix", listenOnly: true, env: devMode });
  await using tcp = await startServer({
    listen: "tcp",
    listenOnly: true,
    env: { ...devMode, ...auth, ...large },
  });
  const modules = files.map((file) => `tests.${file}`);
  return await environment.ended(["-m", "unittest", "--verbose", ...modules], {
    ...environment.variables(library),
    EVENTSTORE_TEST_UNIX: urlOf(unix),
    EVENTSTORE_TEST_TCP: urlOf(tcp),
    EVENTSTORE_TEST_TOKEN: TOKEN,
  });
}
