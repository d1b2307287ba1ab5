import type { Tag } from "../model/tag.ts";
import { isSecret, SECRET_MASK, type Value } from "./check.ts";
import { listenText, unusedSettings } from "./in_effect.ts";
import type { Loaded, ServerSettings } from "./load.ts";
import type { SettingValue } from "./resolve.ts";
import type { EditionName, Setting } from "./setting.ts";
import { TOKENS, type TokenSetting } from "./tokens.ts";
import { type Section, sections, settings, settingsOf } from "./settings.ts";

/** Returns the text of `--default-config` and of config.example.toml: every setting, commented out at its default. */
export function defaultConfigText(): string {
  const head = "# Every setting at its default. To change one, remove the # before its key.\n" +
    "# A key without an edition applies to all three.\n" +
    "# A value in this file wins over the environment variable, which wins over the default.\n";
  return head + sections.map((section) => `\n[${section}]\n${starterLines(section)}`).join("") +
    TOKENS_EXAMPLE;
}

/** Tokens are no settings of a section: each is a table, at the end of the file. */
const TOKENS_EXAMPLE = `
# With enableAuth: tokens with rights (read, write, copy, keys, forget, operate, develop). eventstore-init token makes one and its lines.
#   [[tokens]]
#   name = "billing"
#   sha256 = "..."
#   may = ["read", "write"]
#   within = { tenant = "t1" }
#   expires = 2027-01-31T00:00:00Z
`;

function starterLines(section: Section): string {
  return settingsOf(section).map(([key, setting]) => {
    const facts = [setting.variable, ...factsAbout(setting)].join("; ");
    const value = setting.default === undefined ? "" : ` ${tomlText(setting.default)}`;
    return `\n# ${capitalized(setting.help)}.\n# ${facts}.\n#${key} =${value}\n`;
  }).join("");
}

/** Returns editions, range and other facts, if the setting has any. */
function factsAbout(setting: Setting): string[] {
  return [
    ...(setting.editions === undefined ? [] : [editionsText(setting.editions)]),
    ...(setting.kind === "integer" ? [`${setting.min} to ${setting.max}`] : []),
    ...(setting.kind === "choice" ? [`one of ${setting.choices.map(tomlText).join(", ")}`] : []),
    ...(setting.default === undefined ? ["no default"] : []),
  ];
}

function editionsText(editions: readonly EditionName[]): string {
  return editions.length === 1 ? `edition ${editions[0]} only` : `editions ${editions.join(" and ")}`;
}

/**
 * Returns the text of `--print-config`: where the server listens, then TOML, each value with its source as a comment.
 * A server that reads this text, and gets the secrets, behaves the same. Settings without effect are commented out. So
 * are secrets, which are masked.
 */
export function printConfigText({ settings, file, values, fileTokens }: Loaded<ServerSettings>): string {
  const unused = unusedSettings(values);
  const lines = values.map((value): [assignment: string, comment: string] => {
    const masked = isMasked(value) && value.value !== undefined;
    const isOut = unused.has(value.key) || masked || value.value === undefined;
    const notes = [unused.get(value.key), masked ? "masked" : undefined].filter((note) => note !== undefined);
    return [`${isOut ? "# " : ""}${assignment(value)}`, [sourceText(value), ...notes].join("; ")];
  });
  const width = Math.max(...lines.map(([assignment]) => assignment.length));
  return [
    comment(`listens on ${listenText(settings.listen)}`),
    comment(file === undefined ? "no configuration file" : `read from ${file}`),
    "[server]",
    ...lines.map(([text, note]) => `${text.padEnd(width)}  ${comment(note)}`),
    ...fileTokens.flatMap(tokenLines),
  ].map((line) => `${line}\n`).join("");
}

/** The lines of a token in a file. They do not contain the token itself. */
export function tokenLines({ name, sha256, may, within, expires }: TokenSetting): string[] {
  return [
    "",
    `[[${TOKENS}]]`,
    `name = ${tomlText(name!)}`,
    `sha256 = ${tomlText(sha256)}`,
    `may = ${tomlText(may)}`,
    ...within === undefined ? [] : [`within = { ${within.identifiers.map(assigned).join(", ")} }`],
    ...expires === undefined ? [] : [`expires = ${new Date(expires).toISOString()}`],
  ];
}

function assigned({ name, value }: Tag): string {
  return `${/^[A-Za-z0-9_-]+$/.test(name) ? name : tomlText(name)} = ${tomlText(value)}`;
}

/** A comment must not contain control characters, which a path may have. */
function comment(text: string): string {
  return `# ${text.replaceAll(/\p{Cc}/gu, (char) => tomlText(char).slice(1, -1))}`;
}

function assignment(setting: SettingValue): string {
  const { key, value } = setting;
  if (value === undefined) return `${key} =`;
  return `${key} = ${tomlText(isMasked(setting) ? SECRET_MASK : value)}`;
}

function isMasked({ section, key }: SettingValue): boolean {
  const setting = settingsOf(section).find(([name]) => name === key)?.[1];
  return setting !== undefined && isSecret(setting);
}

function sourceText({ source, origin }: SettingValue): string {
  return source === "default" ? source : `${source} (${origin})`;
}

/** Returns the settings of a section for `--help`, two lines each. */
export function settingsHelp(
  section: Section,
  keys: readonly string[] = Object.keys(settings[section]),
): string {
  return settingsOf(section).filter(([key]) => keys.includes(key)).map(([key, setting]) => {
    const value = setting.default === undefined ? [] : [`default ${tomlText(setting.default)}`];
    const facts = [setting.variable, ...value, ...factsAbout(setting)].join("; ");
    return `  ${key}\n      ${setting.help}\n      ${facts}\n`;
  }).join("");
}

/** JSON writes these kinds of value as TOML does, except for one character that TOML does not allow unescaped. */
export function tomlText(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(", ")}]`;
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
