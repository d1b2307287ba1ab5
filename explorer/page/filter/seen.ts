import type { Alternative } from "./filter.ts";
import { isSameTag, type Tag, tagText } from "./tag.ts";
import { type StoredEvent, tagsOf } from "../store/stored_event.ts";

/** Limits of the types and tags that the page remembers for suggestions. New ones replace the oldest. */
const TYPES_MAX = 500;
const TAGS_MAX = 5000;
/** Longer texts are not remembered: they make poor suggestions, and thousands of them would fill the memory. */
const CHARACTERS_MAX = 300;

export type Suggestion =
  | { readonly what: "type"; readonly type: string }
  | { readonly what: "tag"; readonly tag: Tag };

export class Seen {
  readonly #types = new Set<string>();
  readonly #tags = new Map<string, Tag>();

  add(event: StoredEvent): void {
    this.addType(event.type);
    for (const tag of tagsOf(event)) {
      const text = tagText(tag);
      if (text.length > CHARACTERS_MAX) continue;
      this.#tags.delete(text);
      this.#tags.set(text, tag);
      if (this.#tags.size > TAGS_MAX) this.#tags.delete(this.#tags.keys().next().value!);
    }
  }

  addType(type: string): void {
    if (type.length <= CHARACTERS_MAX) remember(this.#types, type, TYPES_MAX);
  }

  clear(): void {
    this.#types.clear();
    this.#tags.clear();
  }

  /** The types, that of the newest event last. */
  get types(): readonly string[] {
    return [...this.#types];
  }

  /** The names of the tags of this kind. */
  names(kind: Tag["kind"]): readonly string[] {
    return [...new Set([...this.#tags.values()].filter((tag) => tag.kind === kind).map(({ name }) => name))];
  }

  /**
   * Suggestions for a text, without the types and tags that are chosen. Those that are the text precede those that
   * begin with it, which precede those that contain it, and types precede tags.
   */
  suggestions(text: string, chosen: Alternative, max: number): Suggestion[] {
    const wanted = text.trim().toLowerCase();
    const types = [...this.#types].filter((type) => !chosen.types.includes(type));
    const tags = [...this.#tags.values()].reverse().filter((tag) =>
      !chosen.tags.some((other) => isSameTag(other, tag))
    );
    const ranked = [
      ...types.sort().map((type) => ({ rank: rankOf(type, wanted), found: { what: "type", type } as const })),
      ...tags.map((tag) => ({
        rank: Math.min(rankOf(tagText(tag), wanted), rankOf(tag.value, wanted)),
        found: { what: "tag", tag } as const,
      })),
    ];
    return ranked.filter(({ rank }) => rank < Infinity).sort((a, b) => a.rank - b.rank)
      .slice(0, max).map(({ found }) => found);
  }
}

function rankOf(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(wanted);
  if (at < 0) return Infinity;
  return lower === wanted ? 0 : at === 0 ? 1 : 2;
}

function remember(set: Set<string>, value: string, max: number): void {
  set.delete(value);
  set.add(value);
  if (set.size > max) set.delete(set.keys().next().value!);
}
