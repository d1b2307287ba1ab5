import type { SettingValue } from "./resolve.ts";
import type { EditionName, Setting } from "./setting.ts";
import { type Section, sections, settings, settingsOf } from "./settings.ts";

/** The text of `--default-config` and of config.example.toml: every setting, commented out at its default. */
export function defaultConfigText(): string {
  const head = "# Every setting at its default. To change one, remove the # before its key.\n" +
    "# A key without an edition applies to all three.\n" +
    "# A value in this file wins over the environment variable, which wins over the default.\n";
  return head + sections.map((section) => `\n[${section}]\n${starterLines(section)}`).join("");
}

function starterLines(section: Section): string {
  return settingsOf(section).map(([key, setting]) => {
    const facts = [setting.variable, ...factsAbout(setting)].join("; ");
    const value = setting.default === undefined ? "" : ` ${tomlText(setting.default)}`;
    return `\n# ${capitalized(setting.help)}.\n# ${facts}.\n#${key} =${value}\n`;
  }).join("");
}

/** Editions, range and the like, where they apply. */
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

/** The text of `--print-config`: TOML, each value with its source as a comment, tokens masked. */
export function printConfigText(values: readonly SettingValue[]): string {
  const assignments = values.map(({ section, key, value }) => {
    if (value === undefined) return `# ${key} =`;
    return `${key} = ${isToken(section, key) ? '"********"' : tomlText(value)}`;
  });
  const width = Math.max(...assignments.map((text) => text.length));
  return sections.map((section) => {
    const lines = values.flatMap((value, n) =>
      value.section === section ? [`${assignments[n]!.padEnd(width)}  # ${sourceText(value)}\n`] : []
    );
    return lines.length === 0 ? "" : `[${section}]\n${lines.join("")}`;
  }).join("");
}

function isToken(section: Section, key: string): boolean {
  const setting = settingsOf(section).find(([name]) => name === key)?.[1];
  return setting?.kind === "text" && setting.format === "token";
}

function sourceText({ source, origin }: SettingValue): string {
  return source === "default" ? source : `${source} (${origin})`;
}

/** The settings of a section for `--help`, two lines each. */
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

/** JSON writes these kinds of value just as TOML does. */
export function tomlText(value: string | number | boolean): string {
  return JSON.stringify(value);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
