import { h, replace } from "./dom.ts";
import { bytesText } from "./format.ts";
import { button } from "./parts.ts";
import { type Part, prettyParts } from "./payload.ts";
import { visibleText } from "./visible_text.ts";

/** The rest is shown on request: a document of megabytes takes seconds to lay out. */
const CHARACTERS_MAX = 100_000;

/** A payload, or another text with this title, in lines and colours when it is JSON. */
export function payloadView(payload: string, onCopy: () => void, title = "Payload"): HTMLElement {
  const pre = h("pre", { "class": "payload", "tabindex": 0, "aria-label": title.toLowerCase() });
  const parts = prettyParts(payload);
  const size = bytesText(new TextEncoder().encode(payload).length);
  let isRaw = parts === undefined;
  let isWhole = payload.length <= CHARACTERS_MAX;
  const draw = (): void => {
    const max = isWhole ? Infinity : CHARACTERS_MAX;
    if (isRaw || parts === undefined) replace(pre, visibleText(payload.slice(0, max)));
    else replace(pre, ...elementsOf(parts, max));
    if (payload === "") replace(pre, h("span", { class: "quiet" }, "empty"));
    rawButton.textContent = isRaw ? "Pretty" : "Raw";
    allButton.hidden = isWhole;
  };
  const rawButton = button("Raw", () => {
    isRaw = !isRaw;
    draw();
  });
  rawButton.hidden = parts === undefined;
  const allButton = button("Show all of it", () => {
    isWhole = true;
    draw();
  });
  draw();
  return h(
    "section",
    { "class": "payload-part", "aria-label": title },
    h(
      "div",
      { class: "part-head" },
      h("h3", {}, title),
      h("span", { class: "quiet" }, `${parts === undefined ? "text" : "JSON"}, ${size}`),
      h("span", { class: "spring" }),
      rawButton,
      button("Copy", onCopy),
    ),
    pre,
    allButton,
  );
}

function elementsOf(parts: readonly Part[], max: number): Node[] {
  const nodes: Node[] = [];
  let length = 0;
  for (const { kind, text } of parts) {
    if (length > max) break;
    length += text.length;
    const shown = kind === "space" ? text : visibleText(text);
    if (kind === "space" || kind === "punctuation") nodes.push(document.createTextNode(shown));
    else nodes.push(h("span", { class: `json-${kind}` }, shown));
  }
  return nodes;
}
