import { LargeObject } from "./large_json.ts";
import type { Tag } from "../model/tag.ts";
import { decodeString, isObject, isOmitted, wrong } from "./decode.ts";
import { invalid, overLimit, quoted, withPath } from "./invalid.ts";

/** Identifiers or metadata as sent. A name may be `__proto__`, so the object is only read, never assigned to. */
export type TagObject = Readonly<Record<string, string | readonly string[]>>;

/**
 * Decodes the tag object called `name` of an item; an omitted one is empty.
 * @param tagsMax the most tags that it may have
 * @throws ApiError InvalidRequest
 */
export function decodeTags(value: unknown, path: string, name: string, tagsMax: number): Tag[] {
  if (isOmitted(value)) return [];
  if (value instanceof LargeObject) {
    throw overLimit(path, `${name} has more values than maxTagsPerEvent (${tagsMax}) tags can have`);
  }
  if (!isObject(value)) throw wrong(path, name, "an object", value);
  let count = 0;
  for (const tagName of Object.keys(value)) {
    const tagValue = value[tagName];
    count += Array.isArray(tagValue) ? tagValue.length : 1;
  }
  if (count > tagsMax) {
    throw overLimit(path, `${name} has ${count} tags, more than maxTagsPerEvent (${tagsMax})`);
  }
  for (const tagName of Object.keys(value)) checkTag(tagName, value[tagName], withPath(path, name));
  return tagList(value as TagObject);
}

function checkTag(name: string, value: unknown, path: string): void {
  const isUsual = typeof value === "string" && value.isWellFormed() && name.isWellFormed();
  if (isUsual) return;
  const tag = quoted(name);
  decodeString(name, path, `name ${tag}`);
  if (typeof value === "string") throw invalid(path, `${tag} contains a lone surrogate`);
  if (!Array.isArray(value)) throw wrong(path, tag, "a string or a non-empty array of strings", value);
  if (value.length === 0) throw invalid(path, `${tag} is an empty array; omit the key`);
  for (const [i, element] of value.entries()) {
    const text = decodeString(element, path, `${tag}[${i}]`);
    if (value.indexOf(text) < i) throw invalid(path, `${tag} contains ${quoted(text)} twice`);
  }
}

/** Returns the tags of a tag object that needs no check, since it was read from the store. */
export function tagList(tagObject: TagObject): Tag[] {
  const tags: Tag[] = [];
  for (const name of Object.keys(tagObject)) {
    const value = tagObject[name];
    if (value === undefined) continue;
    if (typeof value === "string") tags.push({ name, value });
    else for (const element of value) tags.push({ name, value: element });
  }
  return tags;
}

/**
 * Returns the JSON text of a tag object: names in the order of their UTF-8 bytes, the values of a name in the order
 * sent.
 */
export function tagsText(tags: readonly Tag[]): string {
  const sorted = inOrder(tags);
  let text = "";
  for (let i = 0; i < sorted.length;) {
    const name = sorted[i]?.name ?? "";
    const values: string[] = [];
    for (; sorted[i]?.name === name; i++) values.push(JSON.stringify(sorted[i]?.value));
    const value = values.length === 1 ? values[0] : `[${values.join(",")}]`;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${value}`;
  }
  return `{${text}}`;
}

/**
 * Returns an object whose JSON text equals `tagsText`. To serialize it in one piece costs half as much. Returns
 * undefined for tags that an object would change: several values of a name, or names that it would reorder or
 * interpret.
 */
export function tagObject(tags: readonly Tag[]): TagObject | undefined {
  const object: Record<string, string> = {};
  let last: string | undefined;
  for (const { name, value } of inOrder(tags)) {
    if (name === last || name === "__proto__" || beginsWithDigit(name)) return undefined;
    object[name] = value;
    last = name;
  }
  return object;
}

function beginsWithDigit(name: string): boolean {
  const unit = name.charCodeAt(0);
  return unit >= 0x30 && unit <= 0x39;
}

/** Sorts tags by name. Most clients send them sorted, and to detect that takes less time than to sort them. */
function inOrder(tags: readonly Tag[]): readonly Tag[] {
  for (let i = 1; i < tags.length; i++) {
    if (byName(tags[i - 1]!, tags[i]!) > 0) return tags.toSorted(byName);
  }
  return tags;
}

function byName(a: Tag, b: Tag): number {
  const unitsMin = Math.min(a.name.length, b.name.length);
  for (let i = 0; i < unitsMin; i++) {
    const difference = utf8Rank(a.name.charCodeAt(i)) - utf8Rank(b.name.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.name.length - b.name.length;
}

/**
 * Ranks units as UTF-8 orders them. UTF-16 puts surrogates below U+E000..U+FFFF; in UTF-8, their characters come
 * after.
 */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
