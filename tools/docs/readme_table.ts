import { tomlText } from "../../src/config/print.ts";
import { EDITION_NAMES } from "../../src/config/setting.ts";
import { sections, settingsOf } from "../../src/config/settings.ts";

/** The tables of the README, one per section, padded the way `deno fmt` pads them. */
export function readmeTable(): string {
  return sections.map((section) => {
    const hasEditions = section === "server";
    const head = ["Key", "Environment variable", "Default", ...(hasEditions ? ["Edition"] : []), "Meaning"];
    const rows = settingsOf(section).map(([key, setting]) => [
      `\`${key}\``,
      `\`${setting.variable}\``,
      setting.default === undefined ? "none" : `\`${tomlText(setting.default)}\``,
      ...(hasEditions ? [(setting.editions ?? EDITION_NAMES).join(", ")] : []),
      setting.help,
    ]);
    return `### \`[${section}]\`\n\n${markdownTable([head, ...rows])}`;
  }).join("\n");
}

function markdownTable(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |\n`;
  const [head, ...body] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column]!))));
  return [head, line(widths.map((width) => "-".repeat(width))), ...body].join("");
}
