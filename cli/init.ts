import { loadServerSettings } from "../src/config/load.ts";
import { initProgram } from "../src/config/programs.ts";
import { initStore } from "../src/store/init_store.ts";
import { environment, ExitCode, print, printError, runProgram } from "./program.ts";

await runProgram(initProgram, (flags) => {
  const dataDir = flags.dataDir ?? dataDirOf(flags.config);
  const { path, storeId } = initStore(dataDir);
  print(`${path}\nstore ${storeId}\n`);
  return Promise.resolve(ExitCode.ok);
});

function dataDirOf(configPath: string | undefined): string {
  const { settings, warnings } = loadServerSettings({ configPath, env: environment });
  for (const warning of warnings) printError(initProgram, `warning: ${warning}`);
  return settings.dataDir;
}
