import { requirement } from "../../src/config/check.ts";
import { tomlText } from "../../src/config/print.ts";
import type { EditionName, Setting } from "../../src/config/setting.ts";
import { type Section, sections, settingsOf } from "../../src/config/settings.ts";
import { filled } from "./filled.ts";

interface Group {
  readonly title: string;
  readonly section: Section;
  readonly keys: readonly string[];
}

// deno-fmt-ignore
const GROUPS: readonly Group[] = [
  { title: "Edition and address", section: "server", keys: ["edition", "socketPath", "socketMode", "bindAddress", "port"] },
  { title: "Access", section: "server", keys: ["enableAuth", "authToken", "tokensFile", "openHealth", "recordTokenName", "allowedHosts"] },
  { title: "Storage", section: "server", keys: ["dataDir", "storage", "readPoolSize", "preloadMebibytes"] },
  { title: "PostgreSQL", section: "server", keys: ["postgresUrl", "postgresReadUrl", "postgresSchema", "postgresPoolSize", "postgresFailover"] },
  { title: "Personal data", section: "server", keys: ["subjects", "rejectEmails", "masterKeyFile", "masterKey"] },
  { title: "Log and development", section: "server", keys: ["logLevel", "logReasons", "logTimestamps", "devMode"] },
  { title: "Limits of all editions", section: "server", keys: ["defaultEventsPerPage", "maxEventsPerPage", "maxEventSize", "maxTagsPerEvent", "maxProjectionSize"] },
  { title: "Limits of editions A and B", section: "server", keys: ["maxRequestBodySize", "maxQueuedWrites", "maxProjectionsPerWrite"] },
  { title: "Limits of edition A", section: "server", keys: ["maxEventsPerWrite"] },
  { title: "Limits of edition B", section: "server", keys: ["txIdleTimeout", "maxEventsPerTx", "maxReadsPerTx", "maxProjectionsPerTx", "maxOpenTx"] },
  { title: "Limits of edition C", section: "server", keys: ["transactionTimeout", "maxTransactionDuration", "maxQueuedTransactions", "maxProjectionsPerRequest"] },
  { title: "Backup", section: "backup", keys: ["sourceUrl", "sourceSocket", "sourceCaFile", "sourceToken", "dataDir", "pageLimit"] },
];

/** The generated part of docs/settings.md, wrapped the way `deno fmt` wraps it. */
export function settingsReference(): string {
  const missing = sections.flatMap((section) => {
    const grouped = GROUPS.filter((group) => group.section === section).flatMap(({ keys }) => keys);
    return settingsOf(section).map(([key]) => key).filter((key) => !grouped.includes(key));
  });
  if (missing.length > 0) {
    throw new Error(`add ${missing.join(", ")} to a group in tools/docs/settings_page.ts`);
  }
  return GROUPS.map(groupText).join("\n");
}

function groupText({ title, section, keys }: Group): string {
  const ofSection = new Map(settingsOf(section));
  const entries = keys.map((key) => settingText(key, ofSection.get(key)!));
  return `## ${title}\n\nSection \`[${section}]\`.\n${entries.join("")}`;
}

function settingText(key: string, setting: Setting): string {
  const value = setting.default === undefined ? "none" : `\`${tomlText(setting.default)}\``;
  const facts = [
    `Variable: \`${setting.variable}\``,
    `Default: ${value}`,
    `Value: ${withCode(requirement(setting))}`,
  ];
  return `\n### \`${key}\`\n\n${filled(`${sentence(setting.help)}${editionsText(setting.editions)}`)}\n\n` +
    facts.map((fact) => `${filled(`- ${fact}`)}\n`).join("");
}

function editionsText(editions: readonly EditionName[] | undefined): string {
  if (editions === undefined) return "";
  return editions.length === 1
    ? ` Edition ${editions[0]} only.`
    : ` Editions ${editions.join(" and ")} only.`;
}

function sentence(help: string): string {
  return withCode(`${help.charAt(0).toUpperCase()}${help.slice(1)}.`);
}

/** Marks what readers type: quoted values, requests, URLs, parameters of URLs, choices and keys of settings. */
function withCode(text: string): string {
  const typed =
    /\["[^"]*"\]|"[^"]*"|\b(?:GET|POST) \/\w+|\/tx\b|\w+:\/\/[\w:@/]*|\?\w+=|\b(?:sqlite|postgres|verify|lossless)\b|\b[a-z]+[A-Z]\w*/g;
  return text.replace(typed, (match) => `\`${match}\``);
}
