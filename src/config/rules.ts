import type { SettingValue } from "./resolve.ts";
import type { TokenSetting } from "./tokens.ts";
import { type Section, type SectionValues, settings } from "./settings.ts";

type Key = keyof SectionValues<"server"> | keyof SectionValues<"backup">;

/**
 * The settings without a default that a program needs: all of its own section, or only where the store is. Those of
 * another program may be in a variable that only that program has.
 */
export type Needed = "all" | "store" | "none";

/** Checks the rules between the settings of a section. A setting that is invalid by itself is skipped. */
export function contradictions(
  section: Section,
  values: readonly SettingValue[],
  needed: Needed,
  tokens: readonly TokenSetting[],
): string[] {
  return section === "server"
    ? serverProblems(values, needed, tokens)
    : sourceProblems(values, needed === "all");
}

function serverProblems(
  values: readonly SettingValue[],
  needed: Needed,
  tokens: readonly TokenSetting[],
): string[] {
  const enableAuth = find(values, "enableAuth");
  const authToken = find(values, "authToken");
  const problems = [
    ...orderProblem(values, "defaultEventsPerPage", "maxEventsPerPage"),
    ...orderProblem(values, "transactionTimeout", "maxTransactionDuration"),
  ];
  const lacksToken = authToken !== undefined && authToken.value === undefined && tokens.length === 0;
  if (needed === "all" && enableAuth?.value === true && lacksToken) {
    problems.push(`${enableAuth.origin}: enableAuth is on, but ${unset("authToken")}, or add [[tokens]]`);
  }
  const hasNamed = tokens.some(({ name }) => name !== undefined);
  if (needed === "all" && enableAuth?.value === false && hasNamed) {
    problems.push(`${enableAuth.origin}: there are [[tokens]], but enableAuth is off`);
  }
  return [
    ...problems,
    ...needed === "none" ? [] : [...storageProblems(values), ...masterKeyProblems(values)],
  ];
}

/** The operator may know the setting by its key, or by its variable alone, as in a container. */
function unset(key: "authToken" | "postgresUrl"): string {
  return `${key} is not set: set it or ${settings.server[key].variable}`;
}

/** With a URL but without its storage, the server would silently write to another place. */
function storageProblems(values: readonly SettingValue[]): string[] {
  const storage = find(values, "storage");
  const url = find(values, "postgresUrl");
  if (storage === undefined || url === undefined) return [];
  if (storage.value === "postgres" && url.value === undefined) {
    return [`${storage.origin}: storage is postgres, but ${unset("postgresUrl")}`];
  }
  if (storage.value === "postgres") return [];
  return [url, find(values, "postgresReadUrl")].flatMap((set) =>
    set?.value === undefined ? [] : [`${set.origin}: ${set.key} is set, but storage is sqlite`]
  );
}

/** A master key protects nothing but the keys of subjects. */
function masterKeyProblems(values: readonly SettingValue[]): string[] {
  const isSet = (found: SettingValue | undefined): found is SettingValue => found?.value !== undefined;
  const [one, other] = [find(values, "masterKeyFile"), find(values, "masterKey")].filter(isSet);
  if (one === undefined) return [];
  if (other !== undefined) {
    return [`${other.origin}: ${other.key} and ${one.key} (${one.origin}) are both set; only one may be`];
  }
  const subjects = find(values, "subjects");
  if (!Array.isArray(subjects?.value) || subjects.value.length > 0) return [];
  return [`${one.origin}: ${one.key} is set, but subjects names no identifiers`];
}

function orderProblem(
  values: readonly SettingValue[],
  lowerKey: Key,
  upperKey: Key,
): string[] {
  const lower = find(values, lowerKey);
  const upper = find(values, upperKey);
  if (typeof lower?.value !== "number" || typeof upper?.value !== "number") return [];
  if (lower.value <= upper.value) return [];
  const { origin } = lower.source === "default" ? upper : lower;
  return [`${origin}: ${lowerKey} (${lower.value}) must not exceed ${upperKey} (${upper.value})`];
}

/** A backup has exactly one source. Verbs that only read existing backups do not need it. */
function sourceProblems(values: readonly SettingValue[], isNeeded: boolean): string[] {
  const url = find(values, "sourceUrl");
  const socket = find(values, "sourceSocket");
  if (url === undefined || socket === undefined) return [];
  if (url.value !== undefined && socket.value !== undefined) {
    return [`${socket.origin}: sourceSocket and sourceUrl (${url.origin}) are both set; only one may be`];
  }
  if (!isNeeded || url.value !== undefined || socket.value !== undefined) return [];
  const { sourceUrl, sourceSocket } = settings.backup;
  return [
    `no source: set sourceUrl or sourceSocket in [backup], or ${sourceUrl.variable} or ${sourceSocket.variable}`,
  ];
}

function find(values: readonly SettingValue[], key: Key): SettingValue | undefined {
  return values.find((value) => value.key === key);
}
