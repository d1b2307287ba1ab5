import type { TomlValue } from "smol-toml";
import { describe } from "./check.ts";
import { type ConfigFile, isTable } from "./config_file.ts";
import { type Section, sections, settings, settingsOf } from "./settings.ts";
import { suggest } from "./suggest.ts";

/** One line for everything in the file that no program knows, whatever section the caller reads. */
export function unknownKeyProblems(file: ConfigFile): string[] {
  return file.top.flatMap(([name, value]) => {
    if (isSection(name)) return sectionProblems(file, name, value);
    return isTable(value) ? unknownSectionProblems(file, name) : [keyOutsideProblem(file, name)];
  });
}

function sectionProblems(file: ConfigFile, section: Section, value: TomlValue): string[] {
  if (!isTable(value)) {
    return [`${file.place(section)}: ${section} must be a section, not ${describe(value)}`];
  }
  return Object.keys(value)
    .filter((key) => !Object.hasOwn(settings[section], key))
    .map((key) => {
      const line = `${file.place(section, key)}: unknown key ${JSON.stringify(key)} in [${section}]`;
      const home = sectionsWith(key);
      if (home.length > 0) return `${line}, it belongs in ${home}`;
      return line + didYouMean(suggest(key, Object.keys(settings[section])), JSON.stringify);
    });
}

function unknownSectionProblems(file: ConfigFile, name: string): string[] {
  const hint = didYouMean(suggest(name, sections), (section) => `[${section}]`);
  const keys = Object.keys(file.section(name)).map((key) =>
    `${file.place(name, key)}: key ${JSON.stringify(key)} in unknown section [${quoted(name)}]`
  );
  return [`${file.place(name)}: unknown section [${quoted(name)}]${hint}`, ...keys];
}

function keyOutsideProblem(file: ConfigFile, key: string): string {
  const line = `${file.place(key)}: key ${JSON.stringify(key)} outside any section`;
  const home = sectionsWith(key);
  if (home.length > 0) return `${line}, it belongs in ${home}`;
  const keys = sections.flatMap((section) => settingsOf(section).map(([known]) => known));
  return line + didYouMean(suggest(key, keys), JSON.stringify);
}

function sectionsWith(key: string): string {
  return sections.filter((section) => Object.hasOwn(settings[section], key)).map((name) => `[${name}]`)
    .join(" or ");
}

function isSection(name: string): name is Section {
  return Object.hasOwn(settings, name);
}

function didYouMean(found: string | undefined, show: (found: string) => string): string {
  return found === undefined ? "" : `, did you mean ${show(found)}?`;
}

/** The name of a section as it stands in a header: bare when it can be. */
function quoted(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}
