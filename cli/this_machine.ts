import { type Loaded, type LoadFrom, loadServerSettings, type ServerSettings } from "../src/config/load.ts";
import { readersOf, readersProblem } from "../src/server/machine.ts";

/** Does the same as `loadServerSettings`, and warns when this machine cannot support the settings. */
export function loadForThisMachine(from: LoadFrom): Loaded<ServerSettings> {
  const loaded = loadServerSettings(from);
  const readers = readersOf(loaded.settings);
  const problem = readersProblem(readers);
  const origin = loaded.values.find(({ key }) => key === readers.key)!.origin;
  return problem === undefined
    ? loaded
    : { ...loaded, warnings: [...loaded.warnings, `${origin}: ${problem}`] };
}
