import { Refusal } from "../model/errors.ts";
import {
  projectionBytesOver,
  type ProjectionChanges,
  type ProjectionCreate,
  type ProjectionDelete,
  type ProjectionKey,
  projectionKeyText,
  type ProjectionReplace,
} from "../model/projection.ts";
import {
  decodeArray,
  decodeNonEmptyString,
  decodeObject,
  decodeString,
  invalid,
  isLeftOut,
} from "./decode.ts";

const LIST_KEYS = ["create", "replace", "delete"] as const;
const KEY_KEYS = ["type", "id"] as const;
const PAYLOAD_KEYS = ["type", "id", "payload"] as const;
const REPLACE_KEYS = ["type", "id", "version", "payload"] as const;
const DELETE_KEYS = ["type", "id", "version"] as const;

type ListName = (typeof LIST_KEYS)[number];

/**
 * Decodes projection changes. `path` is what the object of the three lists is called, empty when it is the body.
 * @throws Refusal InvalidRequest, or PayloadTooLarge for a projection over `maxProjectionSize` bytes
 */
export function decodeProjectionChanges(
  value: unknown,
  path: string,
  limits: ProjectionLimits,
): ProjectionChanges {
  return decodeChanges(value, path, limits, decodePayload, decodeReplace, decodeDelete);
}

/** The same for a transaction that knows by itself which version it changes. */
export function decodeUnversionedChanges(
  value: unknown,
  path: string,
  limits: ProjectionLimits,
): UnversionedChanges {
  return decodeChanges(value, path, limits, decodePayload, decodePayload, decodeKey);
}

/** Projection changes without versions. */
export interface UnversionedChanges {
  readonly create: readonly ProjectionCreate[];
  readonly replace: readonly ProjectionCreate[];
  readonly delete: readonly ProjectionKey[];
}

interface ProjectionLimits {
  readonly maxProjectionSize: number;
}

type Decode<Change> = (value: unknown, path: string) => Change;

function decodeChanges<
  Create extends ProjectionCreate,
  Replace extends ProjectionCreate,
  Delete extends ProjectionKey,
>(
  value: unknown,
  path: string,
  limits: ProjectionLimits,
  create: Decode<Create>,
  replace: Decode<Replace>,
  remove: Decode<Delete>,
): { create: Create[]; replace: Replace[]; delete: Delete[] } {
  const lists = decodeLists(value, path);
  const keys = new Set<string>();
  const decodeList = <Change extends ProjectionKey & { readonly payload?: string }>(
    name: ListName,
    decode: Decode<Change>,
  ): Change[] =>
    lists[name].map((element, i) => {
      const itemPath = `${listPath(path, name)}[${i}]`;
      const change = decode(element, itemPath);
      const keyText = projectionKeyText(change);
      if (keys.has(keyText)) throw invalid(itemPath, "the same type and id occur twice in one write");
      keys.add(keyText);
      checkSize(change, change.payload ?? "", itemPath, limits.maxProjectionSize);
      return change;
    });
  return {
    create: decodeList("create", create),
    replace: decodeList("replace", replace),
    delete: decodeList("delete", remove),
  };
}

/** How many changes the three lists hold together, before any of them is decoded. */
export function countProjectionChanges(value: unknown, path: string): number {
  const lists = decodeLists(value, path);
  return lists.create.length + lists.replace.length + lists.delete.length;
}

function decodeLists(value: unknown, path: string): Readonly<Record<ListName, readonly unknown[]>> {
  const isKeyLeftOut = path !== "" && isLeftOut(value);
  const lists = isKeyLeftOut ? {} : decodeObject(value, path, LIST_KEYS);
  const list = (name: ListName): readonly unknown[] =>
    isLeftOut(lists[name]) ? [] : decodeArray(lists[name], "", listPath(path, name));
  return { create: list("create"), replace: list("replace"), delete: list("delete") };
}

function listPath(path: string, list: ListName): string {
  return path === "" ? list : `${path}.${list}`;
}

function decodePayload(value: unknown, path: string): ProjectionCreate {
  const create = decodeObject(value, path, PAYLOAD_KEYS);
  return {
    type: decodeNonEmptyString(create.type, path, "type"),
    id: decodeNonEmptyString(create.id, path, "id"),
    payload: decodeString(create.payload, path, "payload"),
  };
}

function decodeKey(value: unknown, path: string): ProjectionKey {
  const key = decodeObject(value, path, KEY_KEYS);
  return {
    type: decodeNonEmptyString(key.type, path, "type"),
    id: decodeNonEmptyString(key.id, path, "id"),
  };
}

function decodeReplace(value: unknown, path: string): ProjectionReplace {
  const replace = decodeObject(value, path, REPLACE_KEYS);
  return {
    type: decodeNonEmptyString(replace.type, path, "type"),
    id: decodeNonEmptyString(replace.id, path, "id"),
    version: decodeNonEmptyString(replace.version, path, "version"),
    payload: decodeString(replace.payload, path, "payload"),
  };
}

function decodeDelete(value: unknown, path: string): ProjectionDelete {
  const deleted = decodeObject(value, path, DELETE_KEYS);
  return {
    type: decodeNonEmptyString(deleted.type, path, "type"),
    id: decodeNonEmptyString(deleted.id, path, "id"),
    version: decodeNonEmptyString(deleted.version, path, "version"),
  };
}

function checkSize(key: ProjectionKey, payload: string, path: string, bytesMax: number): void {
  const bytes = projectionBytesOver(bytesMax, key, payload);
  if (bytes === 0) return;
  throw new Refusal(
    "PayloadTooLarge",
    `${path} is ${bytes} bytes, more than maxProjectionSize (${bytesMax})`,
  );
}
