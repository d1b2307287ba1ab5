import { type Checked, checkFileValue, checkVariable, type Value } from "./check.ts";
import type { ConfigFile } from "./config_file.ts";
import type { Setting } from "./setting.ts";
import { type Section, settingsOf } from "./settings.ts";

/** Reads an environment variable; undefined when it is not set. */
export type ReadVariable = (name: string) => string | undefined;

/** The value of a setting, and where it comes from. */
export interface SettingValue {
  readonly section: Section;
  readonly key: string;
  /** Undefined when the setting was not set and has no default. */
  readonly value: Value | undefined;
  readonly source: "file" | "environment" | "default";
  /** The name of the source in messages: `/etc/config.toml:12:1`, the variable, or for a default the key. */
  readonly origin: string;
}

interface Resolved {
  /** In the order of the settings table, without settings that have a problem. */
  readonly values: readonly SettingValue[];
  readonly problems: readonly string[];
}

/** Takes each setting of a section from the file, else the environment, else its default, and checks it. */
export function resolveSection(section: Section, file: ConfigFile, readVariable: ReadVariable): Resolved {
  const values: SettingValue[] = [];
  const problems: string[] = [];
  for (const [key, setting] of settingsOf(section)) {
    const { checked, source, origin } = find(file, section, key, setting, readVariable);
    // A variable's name identifies the setting, but a line and column do not.
    const subject = source === "file" ? `${key} ` : "";
    if ("fault" in checked) problems.push(`${origin}: ${subject}${checked.fault}`);
    else values.push({ section, key, value: checked.value, source, origin });
  }
  return { values, problems };
}

interface Found extends Pick<SettingValue, "source" | "origin"> {
  readonly checked: Checked | { readonly value: undefined };
}

function find(
  file: ConfigFile,
  section: Section,
  key: string,
  setting: Setting,
  readVariable: ReadVariable,
): Found {
  const inFile = file.section(section).get(key);
  if (inFile !== undefined) {
    return { checked: checkFileValue(setting, inFile.value), source: "file", origin: file.place(inFile) };
  }
  const value = readVariable(setting.variable);
  if (value !== undefined) {
    return { checked: checkVariable(setting, value), source: "environment", origin: setting.variable };
  }
  return { checked: { value: setting.default }, source: "default", origin: key };
}
