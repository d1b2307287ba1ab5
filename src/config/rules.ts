import type { SettingValue } from "./resolve.ts";
import { type Section, type SectionValues, settings } from "./settings.ts";

/** What must hold between the settings of `[server]`. A setting that is wrong by itself is left out here. */
export function serverProblems(values: readonly SettingValue[]): string[] {
  const enableAuth = find<"server">(values, "enableAuth");
  const authToken = find<"server">(values, "authToken");
  const problems = [
    ...orderProblem(values, "defaultEventsPerPage", "maxEventsPerPage"),
    ...orderProblem(values, "transactionTimeout", "maxTransactionDuration"),
  ];
  if (enableAuth?.value === true && authToken !== undefined && authToken.value === undefined) {
    problems.push(`${enableAuth.origin}: enableAuth is on, but authToken is not set`);
  }
  return problems;
}

function orderProblem(
  values: readonly SettingValue[],
  lowerKey: keyof SectionValues<"server">,
  upperKey: keyof SectionValues<"server">,
): string[] {
  const lower = find<"server">(values, lowerKey);
  const upper = find<"server">(values, upperKey);
  if (typeof lower?.value !== "number" || typeof upper?.value !== "number") return [];
  if (lower.value <= upper.value) return [];
  const { origin } = lower.source === "default" ? upper : lower;
  return [`${origin}: ${lowerKey} (${lower.value}) must not exceed ${upperKey} (${upper.value})`];
}

/** A backup has exactly one source; what reads only backups that are there can do without. */
export function sourceProblems(values: readonly SettingValue[], isNeeded: boolean): string[] {
  const url = find<"backup">(values, "sourceUrl");
  const socket = find<"backup">(values, "sourceSocket");
  if (url === undefined || socket === undefined) return [];
  if (url.value !== undefined && socket.value !== undefined) {
    return [`${socket.origin}: sourceSocket and sourceUrl (${url.origin}) are both set, only one may be`];
  }
  if (!isNeeded || url.value !== undefined || socket.value !== undefined) return [];
  const { sourceUrl, sourceSocket } = settings.backup;
  return [
    `no source: set sourceUrl or sourceSocket in [backup], or ${sourceUrl.variable} or ${sourceSocket.variable}`,
  ];
}

function find<S extends Section>(
  values: readonly SettingValue[],
  key: keyof SectionValues<S>,
): SettingValue | undefined {
  return values.find((value) => value.key === key);
}
