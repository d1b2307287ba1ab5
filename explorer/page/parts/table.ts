import { type Child, h } from "./dom.ts";

/** A table. @param numbers the heads of the columns with numbers, which are aligned to the right */
export function tableOf(
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
  numbers: readonly string[] = [],
): HTMLElement {
  const cell = (name: "th" | "td", content: Child, column: number): HTMLElement =>
    h(name, numbers.includes(heads[column]!) ? { class: "number" } : {}, content);
  return h(
    "div",
    { class: "table-part" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((head, column) => cell("th", head, column)))),
      h(
        "tbody",
        {},
        ...rows.map((row) => h("tr", {}, ...row.map((content, column) => cell("td", content, column)))),
      ),
    ),
  );
}
