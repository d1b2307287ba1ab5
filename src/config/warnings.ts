import { checkVariable, isSecret, type Value } from "./check.ts";
import type { ConfigFile } from "./config_file.ts";
import { unusedSettings } from "./in_effect.ts";
import type { ReadVariable, SettingValue } from "./resolve.ts";
import { type Section, sections, settingsOf } from "./settings.ts";
import { didYouMean, suggest } from "./suggest.ts";

/** Warns of a file that holds a secret and is readable by others than its owner. */
export function secretFileWarnings(file: ConfigFile): string[] {
  const what = secretIn(file);
  if (!file.isShared || what === undefined) return [];
  return [sharedSecretWarning(file.path, what)];
}

/** The warning of a file that others can read. */
export function sharedSecretWarning(path: string, what: string): string {
  return `${path}: contains a ${what}, but its group or others may read it (chmod 600 ${path})`;
}

/** Names the secret in a file, which other users should not be able to read. */
function secretIn(file: ConfigFile): string | undefined {
  const formats = sections.flatMap((section) =>
    settingsOf(section).flatMap(([key, setting]) =>
      setting.kind === "text" && isSecret(setting) && file.section(section).has(key) ? [setting.format] : []
    )
  );
  if (formats.includes("token")) return "token";
  if (formats.includes("masterKey")) return "master key";
  return formats.length === 0 ? undefined : "database URL";
}

/** Warns of variables that are named like settings but belong to no program. Their values are not shown. */
export function unknownVariableWarnings(names: readonly string[]): string[] {
  const known = sections.flatMap((section) => settingsOf(section).map(([, { variable }]) => variable));
  return names.filter((name) => name.startsWith("SERVICE_") && !known.includes(name)).sort()
    .map((name) =>
      `no setting has the environment variable ${shown(name)}${didYouMean(suggest(name, known))}`
    );
}

function shown(name: string): string {
  return /^[A-Z0-9_]+$/.test(name) ? name : JSON.stringify(name);
}

/** Warns of variables that contradict the file, which wins. */
export function overriddenWarnings(
  section: Section,
  values: readonly SettingValue[],
  readVariable: ReadVariable,
): string[] {
  const fromFile = values.filter(({ source }) => source === "file");
  return settingsOf(section).flatMap(([key, setting]) => {
    const winner = fromFile.find((value) => value.key === key) ?? otherSource(key, fromFile);
    if (winner === undefined) return [];
    const given = readVariable(setting.variable);
    if (given === undefined) return [];
    const checked = checkVariable(setting, given);
    if (winner.key === key && "value" in checked && isSame(checked.value, winner.value)) return [];
    return [`${setting.variable} has no effect: ${winner.key} at ${winner.origin} wins`];
  });
}

/** True when two values of one setting are equal. A host in a list contains no comma. */
function isSame(one: Value, other: Value | undefined): boolean {
  return String(one) === String(other);
}

/** A source in the file, by URL or by socket, hides the variables of both. */
function otherSource(key: string, fromFile: readonly SettingValue[]): SettingValue | undefined {
  if (key !== "sourceUrl" && key !== "sourceSocket") return undefined;
  return fromFile.find((value) => value.key === "sourceUrl" || value.key === "sourceSocket");
}

/** Warns of settings of `[server]` without effect, and of sizes that no request can reach. */
export function uselessWarnings(values: readonly SettingValue[]): string[] {
  const unused = unusedSettings(values);
  const useless = values.flatMap(({ key, source, origin }) => {
    const reason = unused.get(key);
    // The file may hold the settings of every edition.
    if (source === "default" || reason?.startsWith("unused: ") !== true) return [];
    return [`${origin}: ${key} is ${reason}`];
  });
  return [...useless, ...unreachableSizes(values, unused)];
}

function unreachableSizes(
  values: readonly SettingValue[],
  unused: ReadonlyMap<string, string>,
): string[] {
  const body = values.find(({ key }) => key === "maxRequestBodySize");
  if (typeof body?.value !== "number" || unused.has(body.key)) return [];
  const bytesMax = body.value;
  return values
    .filter(({ key, value }) =>
      (key === "maxEventSize" || key === "maxProjectionSize") && Number(value) > bytesMax
    )
    .map(({ key, value, source, origin }) =>
      `${source === "default" ? body.origin : origin}: ${key} (${value}) is more than ` +
      `maxRequestBodySize (${bytesMax}) lets in`
    );
}
