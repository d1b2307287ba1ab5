import { type LibraryVersion, PythonEnvironment } from "../../integrations/python_environment.ts";
import { missingForPython } from "../../support/python_install.ts";
import { endPythonTests, LIBRARY_FILES } from "../../integrations/python_tests.ts";
import { pinnedIn } from "../pinned.ts";
import type { Outcome, Suite } from "../suite.ts";
import { outcomeOf, outcomeOfUnittest } from "../summaries.ts";

/* The suites of eventsourcing, a library for Python, with the classes in integrations/python/tests/. */

function suiteOf(library: LibraryVersion, list: string): Suite {
  return {
    word: "eventsourcing",
    name: `eventsourcing ${library}`,
    version: pinnedIn(`integrations/python/tests/requirements/${list}`, "eventsourcing"),
    random: false,
    run: () => run(library),
  };
}

export const EVENTSOURCING = [suiteOf("9.5", "eventsourcing_9_5.txt"), suiteOf("10", "eventsourcing_10.txt")];

async function run(library: LibraryVersion): Promise<Outcome> {
  const missing = await missingForPython();
  if (missing !== undefined) throw new Error(missing);
  await using environment = await PythonEnvironment.create();
  return outcomeOf(outcomeOfUnittest, await endPythonTests(environment, library, LIBRARY_FILES));
}
