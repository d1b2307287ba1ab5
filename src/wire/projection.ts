import { projectionBytesOver, type ProjectionChanges, projectionKeyText } from "../model/projection.ts";
import {
  decodeArray,
  decodeNonEmptyString,
  decodeObject,
  decodeString,
  type Elements,
  isOmitted,
} from "./decode.ts";
import { invalid, tooLarge } from "./invalid.ts";

export const PROJECTION_LISTS = ["create", "replace", "delete"] as const;

type List = (typeof PROJECTION_LISTS)[number];
type Field = "type" | "id" | "version" | "payload";
type Fields = Readonly<Record<List, readonly Field[]>>;

/** The three lists with the fields that each of their items must have. */
export type Changes<F extends Fields> = { readonly [L in List]: Readonly<Record<F[L][number], string>>[] };

interface ProjectionLimits {
  readonly maxProjectionSize: number;
}

/** Decodes the changes of a client that names the versions it changes. @throws as `decodeChanges` */
export function decodeProjectionChanges(
  value: unknown,
  path: string,
  limits: ProjectionLimits,
): ProjectionChanges {
  return decodeChanges(value, path, limits, {
    create: ["type", "id", "payload"],
    replace: ["type", "id", "version", "payload"],
    delete: ["type", "id", "version"],
  });
}

/**
 * Decodes projection changes. `path` is the name of the object with the three lists, empty when it is the body.
 * @throws ApiError InvalidRequest, or PayloadTooLarge for a projection over `maxProjectionSize` bytes
 */
export function decodeChanges<const F extends Fields>(
  value: unknown,
  path: string,
  { maxProjectionSize }: ProjectionLimits,
  fields: F,
): Changes<F> {
  const lists = decodeLists(value, path);
  const places = new Map<string, string>();
  const decodeList = (list: List): Item[] =>
    lists[list].map((element, i) => {
      const place = `${listPath(path, list)}[${i}]`;
      const item = decodeItem(element, place, fields[list]);
      const keyText = projectionKeyText(item);
      const earlier = places.get(keyText);
      if (earlier !== undefined) throw invalid("", `${place} has the same type and id as ${earlier}`);
      places.set(keyText, place);
      const bytes = projectionBytesOver(maxProjectionSize, item, item.payload ?? "");
      if (bytes > 0) throw tooLarge(place, bytes, "maxProjectionSize", maxProjectionSize);
      return item;
    });
  const changes = {
    create: decodeList("create"),
    replace: decodeList("replace"),
    delete: decodeList("delete"),
  };
  return changes as Changes<F>;
}

/** Returns how many changes the three lists contain in total, before any of them is decoded. */
export function countProjectionChanges(value: unknown, path: string): number {
  const lists = decodeLists(value, path);
  return lists.create.length + lists.replace.length + lists.delete.length;
}

const NO_LISTS: Readonly<Record<List, Elements>> = { create: [], replace: [], delete: [] };

function decodeLists(value: unknown, path: string): Readonly<Record<List, Elements>> {
  // Most writes change no projection.
  if (path !== "" && isOmitted(value)) return NO_LISTS;
  const lists = decodeObject(value, path, PROJECTION_LISTS);
  const list = (name: List): Elements =>
    isOmitted(lists[name]) ? [] : decodeArray(lists[name], "", listPath(path, name));
  return { create: list("create"), replace: list("replace"), delete: list("delete") };
}

function listPath(path: string, list: List): string {
  return path === "" ? list : `${path}.${list}`;
}

interface Item {
  readonly type: string;
  readonly id: string;
  readonly payload?: string;
}

function decodeItem(value: unknown, path: string, fields: readonly Field[]): Item {
  const item = decodeObject(value, path, fields);
  const decoded = fields.map((field) => {
    const decode = field === "payload" ? decodeString : decodeNonEmptyString;
    return [field, decode(item[field], path, field)];
  });
  return Object.fromEntries(decoded);
}
