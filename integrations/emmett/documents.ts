import type { EventStore, NewProjection, ProjectionChanges } from "eventstore-client";
import { asJson } from "./recorded_events.ts";

/** A document of a collection: a plain object, stored as JSON. */
export type Document = Record<string, unknown>;

/** Returns the new document, or null to delete it. Null is given if there is none. */
export type HandleDocument<Doc extends Document> = (document: Doc | null) => Doc | null | Promise<Doc | null>;

/** A document that was read, and what is to be written. */
interface Staged {
  readonly collection: string;
  readonly id: string;
  /** The version of the projection; undefined if there is none. */
  readonly version: string | undefined;
  payload: Document | null;
  isChanged: boolean;
}

/**
 * Documents that change together with events or with a checkpoint, in one write. Each is a projection of the store: the
 * collection is its type. A document that another write has changed in the meantime is a conflict of this write.
 */
export class Documents {
  readonly #store: EventStore;
  #staged = new Map<string, Staged>();

  /** The event store and its consumers create them. */
  constructor(store: EventStore) {
    this.#store = store;
  }

  /** The document with the changes of this write; null if there is none. */
  async find<Doc extends Document>(collection: string, id: string): Promise<Doc | null> {
    return structuredClone((await this.#read(collection, id)).payload) as Doc | null;
  }

  /** Changes a document. Numbers of type `bigint` become strings, and dates ISO 8601. */
  async handle<Doc extends Document>(
    collection: string,
    id: string,
    handle: HandleDocument<Doc>,
  ): Promise<void> {
    const staged = await this.#read(collection, id);
    const changed = await handle(structuredClone(staged.payload) as Doc | null);
    if (changed === null && staged.payload === null) return;
    staged.payload = asJson(changed) as Document | null;
    staged.isChanged = true;
  }

  /** All changes, for a write. Undefined if there are none. */
  changes(): ProjectionChanges | undefined {
    const create: NewProjection[] = [];
    const replace: (NewProjection & { readonly version: string })[] = [];
    const removed: { readonly type: string; readonly id: string; readonly version: string }[] = [];
    for (const { collection: type, id, version, payload, isChanged } of this.#staged.values()) {
      if (!isChanged) continue;
      if (payload === null) {
        if (version !== undefined) removed.push({ type, id, version });
      } else if (version === undefined) create.push({ type, id, payload });
      else replace.push({ type, id, payload, version });
    }
    return create.length + replace.length + removed.length ? { create, replace, delete: removed } : undefined;
  }

  /** A copy of the current state. Later changes do not affect it. */
  copy(): Documents {
    const copy = new Documents(this.#store);
    copy.#staged = new Map([...this.#staged].map(([key, staged]) => [key, { ...staged }]));
    return copy;
  }

  async #read(collection: string, id: string): Promise<Staged> {
    const key = JSON.stringify([collection, id]);
    const known = this.#staged.get(key);
    if (known) return known;
    const stored = await this.#store.projections.get<Document>(collection, id);
    const staged = {
      collection,
      id,
      version: stored?.version,
      payload: stored?.payload ?? null,
      isChanged: false,
    };
    this.#staged.set(key, staged);
    return staged;
  }
}
