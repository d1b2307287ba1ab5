import { fromRoot } from "../files/paths.ts";
import { readText } from "./config_file.ts";
import { ConfigError } from "./config_error.ts";
import { masterKeysIn } from "./master_keys.ts";
import type { SettingValue } from "./resolve.ts";
import { sharedSecretWarning } from "./warnings.ts";

/** The master keys of a server. */
interface GivenMasterKeys {
  /** In Base64. */
  readonly keys: readonly string[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Returns the master keys that the settings of a server give, in a file or in themselves. */
export function masterKeysOf(values: readonly SettingValue[]): GivenMasterKeys {
  const valueOf = (wanted: string): unknown => values.find(({ key }) => key === wanted)?.value;
  const [text, path] = [valueOf("masterKey"), valueOf("masterKeyFile")];
  if (typeof path === "string") return keysOfFile(fromRoot(path));
  const decoded = typeof text === "string" ? masterKeysIn(text) : { keys: [] };
  // A fault of the setting itself has been reported.
  return { keys: "keys" in decoded ? decoded.keys : [], problems: [], warnings: [] };
}

function keysOfFile(path: string): GivenMasterKeys {
  const failed = (problem: string): GivenMasterKeys => ({ keys: [], problems: [problem], warnings: [] });
  try {
    const { text = "", isShared } = readText(path);
    const decoded = masterKeysIn(text);
    if ("fault" in decoded) {
      return failed(`masterKeyFile ${path}: must have keys of 32 bytes in Base64: ${decoded.fault}`);
    }
    const warnings = isShared ? [sharedSecretWarning(path, "master key")] : [];
    return { keys: decoded.keys, problems: [], warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(`masterKeyFile ${error.message}`);
  }
}
