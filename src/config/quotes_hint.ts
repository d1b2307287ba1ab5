import { sections, settingsOf } from "./settings.ts";

/**
 * What to say of a line that is not TOML when it gives a setting a text without quotes, which is the usual reason. Says
 * nothing of the text, which may be a token.
 */
export function quotesHint(line: string): string {
  const key = /^\s*([A-Za-z]+)\s*=\s*[^\s"'#]/.exec(line)?.[1];
  const setting = sections.flatMap(settingsOf)
    .find(([name, { kind }]) => name === key && (kind === "text" || kind === "choice"))?.[1];
  if (setting === undefined) return "";
  const { default: example = "..." } = setting;
  return `; the value of ${key} needs quotes, as in ${key} = ${JSON.stringify(example)}`;
}
