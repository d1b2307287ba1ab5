import { describe } from "./check.ts";
import type { ConfigFile } from "./config_file.ts";
import { type Section, sections, settings } from "./settings.ts";
import { didYouMean, suggest } from "./suggest.ts";
import { TOKENS } from "./tokens.ts";
import type { TomlKey } from "./toml.ts";

/** Returns one line for each key and section in the file that no program knows. */
export function unknownKeyProblems(file: ConfigFile): string[] {
  return [...file.top].flatMap(([name, found]) => {
    if (name === TOKENS) return [];
    if (isSection(name)) return sectionProblems(file, name, found);
    return found.value instanceof Map
      ? unknownSectionProblems(file, name, found)
      : [keyOutsideProblem(file, name, found)];
  });
}

function sectionProblems(file: ConfigFile, section: Section, found: TomlKey): string[] {
  if (!(found.value instanceof Map)) {
    return [`${file.place(found)}: ${section} must be a section, not ${describe(found.value)}`];
  }
  return [...file.section(section)]
    .filter(([key]) => !Object.hasOwn(settings[section], key))
    .map(([key, unknown]) => {
      const line = `${file.place(unknown)}: unknown key ${JSON.stringify(key)} in [${section}]`;
      return line + keyHint(key, [section]);
    });
}

function unknownSectionProblems(file: ConfigFile, name: string, found: TomlKey): string[] {
  const hint = didYouMean(suggest(name, sections), (section) => `[${section}]`);
  const keys = [...file.section(name)].map(([key, unknown]) =>
    `${file.place(unknown)}: key ${JSON.stringify(key)} in unknown section [${quoted(name)}]`
  );
  return [`${file.place(found)}: unknown section [${quoted(name)}]${hint}`, ...keys];
}

function keyOutsideProblem(file: ConfigFile, key: string, found: TomlKey): string {
  const line = `${file.place(found)}: key ${JSON.stringify(key)} outside any section`;
  return line + keyHint(key, sections);
}

/** Returns the sections that have the key, or else a key of `near` with a similar spelling. */
function keyHint(key: string, near: readonly Section[]): string {
  const homes = sections.filter((section) => Object.hasOwn(settings[section], key));
  if (homes.length > 0) return `; it belongs in ${homes.map((name) => `[${name}]`).join(" or ")}`;
  return didYouMean(suggest(key, near.flatMap((section) => Object.keys(settings[section]))), JSON.stringify);
}

function isSection(name: string): name is Section {
  return Object.hasOwn(settings, name);
}

/** Returns the name of a section as in a header: bare when possible. */
function quoted(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}
