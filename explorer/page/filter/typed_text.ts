import { nearestName } from "../../../src/config/suggest.ts";
import type { App } from "../frame/app.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { type Alternative, NOTHING_ASKED, withTag, withType } from "./filter.ts";
import { queryOf } from "./query.ts";
import type { Seen, Suggestion } from "./seen.ts";
import { type Tag, tagOf, tagText } from "./tag.ts";

/** The parts of the page that know the store. */
type Store = Pick<App, "seen" | "calls" | "facts">;

/** Returns the type or the tag that a text in the filter field means, or undefined if it is neither. */
export function meantBy(text: string): Suggestion | undefined {
  if (!text.includes("=")) return { what: "type", type: text };
  const tag = tagOf(text);
  return tag && { what: "tag", tag };
}

/** Returns a message when it is certain that no event matches, or undefined. A seen type or tag name needs no check. */
export async function problemOf(meant: Suggestion, store: Store): Promise<string | undefined> {
  const problem = meant.what === "type"
    ? typeProblem(meant.type, store.seen)
    : tagProblem(meant.tag, store.seen);
  if (problem === undefined) return undefined;
  const alternative = meant.what === "type"
    ? withType(NOTHING_ASKED, meant.type)
    : withTag(NOTHING_ASKED, meant.tag);
  return await isMissing(alternative, store) ? visibleLine(problem) : undefined;
}

function typeProblem(type: string, seen: Seen): string | undefined {
  if (seen.types.includes(type)) return undefined;
  const near = nearestName(type, seen.types.toReversed()) ?? nearestTagName(type, seen);
  const quoted = JSON.stringify(type);
  return near === undefined ? `no event has the type ${quoted}` : `no type ${quoted}; did you mean ${near}?`;
}

function nearestTagName(word: string, seen: Seen): string | undefined {
  const name = nearestName(word, seen.names("identifiers"));
  return name === undefined ? undefined : `${name}=...`;
}

/** A name without a near one may be new. The empty list then says enough. */
function tagProblem(tag: Tag, seen: Seen): string | undefined {
  const names = seen.names(tag.kind);
  const near = names.includes(tag.name) ? undefined : nearestName(tag.name, names);
  if (near === undefined) return undefined;
  const kind = tag.kind === "metadata" ? "metadata" : "identifier";
  return `no ${kind} ${JSON.stringify(tagText(tag))}; did you mean ${tagText({ ...tag, name: near })}?`;
}

/** Returns true when it is certain that no event of the store matches. */
async function isMissing(alternative: Alternative, { calls, facts }: Store): Promise<boolean> {
  try {
    const query = queryOf({ alternatives: [alternative] }, facts.edition);
    return (await calls.events({ query, limit: 1 })).events.length === 0;
  } catch {
    // The list shows why the store does not answer.
    return false;
  }
}
