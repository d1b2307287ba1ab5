import type { Choice } from "../parts/combobox.ts";
import { visibleLine } from "../parts/visible_text.ts";
import type { Suggestion } from "./seen.ts";

/** A suggestion as a choice of the field. */
export function choiceOf(suggestion: Suggestion): Choice<Suggestion> {
  if (suggestion.what === "type") {
    return { label: visibleLine(suggestion.type), hint: "type", value: suggestion };
  }
  const { kind, name, value } = suggestion.tag;
  const hint = kind === "metadata" ? "metadata" : "identifier";
  return { label: visibleLine(`${name}=${value}`), hint, value: suggestion };
}
