import { sections, settingsOf } from "./settings.ts";

/**
 * Returns the hint for a line that gives a setting a text without quotes, the usual reason why a line is not TOML. The
 * hint does not repeat the text, which may be a token.
 */
export function quotesHint(line: string): string {
  const key = /^\s*([A-Za-z]+)\s*=\s*[^\s"'#]/.exec(line)?.[1];
  const setting = sections.flatMap(settingsOf)
    .find(([name, { kind }]) => name === key && (kind === "text" || kind === "choice"))?.[1];
  if (setting === undefined) return "";
  const { default: example = "..." } = setting;
  return `; the value of ${key} needs quotes, as in ${key} = ${JSON.stringify(example)}`;
}
