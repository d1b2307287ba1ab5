/** Attributes of an element. Numbers are rounded to a visible precision. */
export type Attributes = Readonly<Record<string, string | number>>;

/** Markup, in contrast to text that must still be escaped. */
export interface Markup {
  readonly markup: string;
}

/** One element of an SVG document; strings among its children are text. */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (Markup | string)[]
): Markup {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(shown(value))}"`).join(
    "",
  );
  if (children.length === 0) return { markup: `<${name}${list}/>` };
  const inside = children.map((child) => typeof child === "string" ? escaped(child) : child.markup).join("");
  return { markup: `<${name}${list}>${inside}</${name}>` };
}

function shown(value: string | number): string {
  return typeof value === "number" ? String(Math.round(value * 10) / 10) : value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Replaces characters that XML 1.0 cannot contain, not even escaped, by a question mark. */
function escaped(text: string): string {
  return text.toWellFormed()
    // deno-lint-ignore no-control-regex -- these are what is looked for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "?")
    .replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
