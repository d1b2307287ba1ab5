import { loadBackupSettings } from "../src/config/load.ts";
import { backupProgram } from "../src/config/programs.ts";
import { VERSION } from "../src/config/version.ts";
import { environment, ExitCode, printError, runProgram } from "./program.ts";

await runProgram(backupProgram, (flags) => {
  loadBackupSettings({ configPath: flags.config, env: environment });
  printError(backupProgram, `version ${VERSION} can't make backups yet; nothing was copied`);
  return Promise.resolve(ExitCode.failure);
});
