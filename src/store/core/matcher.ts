import type { QueryItem } from "../../model/query.ts";
import type { Tag } from "../../model/tag.ts";
import { parseEventTags, typeText, typeTextOf } from "../../wire/event.ts";
import type { TagObject } from "../../wire/tags.ts";

/** The indexes of the items that ask for a tag, by its name and then by its value. */
type ItemsByTag = Map<string, Map<string, number[]>>;

/**
 * `matches()` for the stored text of many events. The query is turned into tables once. Then each event costs little,
 * however many values the query has. Only events of a wanted type are parsed, and never a payload.
 *
 * An item matches when the number of its tags that were found equals the number that it has. So items must not repeat
 * a value.
 */
export class Matcher {
  /** The indexes of items by the JSON text of a type that they name. */
  readonly #byType = new Map<string, number[]>();
  readonly #ofAnyType: number[] = [];
  readonly #identifiers: ItemsByTag = new Map();
  readonly #metadata: ItemsByTag = new Map();
  /** How many tags each item asks for, and how many of them the present event has. */
  readonly #wanted: Uint8Array;
  readonly #met: Uint8Array;

  constructor(items: readonly QueryItem[]) {
    this.#wanted = new Uint8Array(items.length);
    this.#met = new Uint8Array(items.length);
    for (const [i, { types, identifiers, metadata }] of items.entries()) {
      if (types.length === 0) this.#ofAnyType.push(i);
      for (const type of types) addTo(this.#byType, typeText(type), i);
      addTags(this.#identifiers, identifiers, i);
      addTags(this.#metadata, metadata, i);
      this.#wanted[i] = identifiers.length + metadata.length;
    }
  }

  /** @param body the event as `eventBody` writes it */
  matches(body: string): boolean {
    const ofType = this.#byType.get(typeTextOf(body)) ?? NONE;
    if (ofType.length + this.#ofAnyType.length === 0) return false;
    if (this.#anyComplete(ofType) || this.#anyComplete(this.#ofAnyType)) return true;
    const { identifiers, metadata } = parseEventTags(body);
    this.#meet(this.#identifiers, identifiers);
    this.#meet(this.#metadata, metadata);
    const isMatch = this.#anyComplete(ofType) || this.#anyComplete(this.#ofAnyType);
    this.#met.fill(0);
    return isMatch;
  }

  #anyComplete(items: readonly number[]): boolean {
    for (const i of items) if (this.#met[i] === this.#wanted[i]) return true;
    return false;
  }

  #meet(itemsByTag: ItemsByTag, tags: TagObject): void {
    if (itemsByTag.size === 0) return;
    for (const name of Object.keys(tags)) {
      const byValue = itemsByTag.get(name);
      if (byValue === undefined) continue;
      const value = tags[name]!;
      if (typeof value === "string") this.#count(byValue.get(value));
      else for (const element of value) this.#count(byValue.get(element));
    }
  }

  #count(items: readonly number[] | undefined): void {
    for (const i of items ?? NONE) this.#met[i]!++;
  }
}

const NONE: readonly number[] = [];

function addTags(itemsByTag: ItemsByTag, tags: readonly Tag[], item: number): void {
  for (const { name, value } of tags) {
    const byValue = itemsByTag.get(name) ?? new Map<string, number[]>();
    itemsByTag.set(name, byValue);
    addTo(byValue, value, item);
  }
}

function addTo(map: Map<string, number[]>, key: string, item: number): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}
