import type { Access } from "../model/access.ts";
import { ApiError } from "../model/errors.ts";
import type { ListRequest, ProjectionChanges, ProjectionKey } from "../model/projection.ts";
import type { ReadRequest } from "../model/read_request.ts";
import { lackingIdentifier, queryWithin, type Within } from "../model/within.ts";
import type { ChunkRequest } from "../store/api/chunk.ts";
import { type Outcome, outcomeOf } from "../store/api/outcome.ts";
import type { Client, FoundProjection, ProjectionLines, Store, SubjectsPart } from "../store/api/store.ts";
import type { StoreWrite, WriteResult } from "../store/api/write.ts";
import type { CatalogDocument } from "../store/core/catalog/catalog_counts.ts";
import type { Catalog } from "../store/core/catalog/catalog.ts";
import { openPage, type Page } from "../store/core/open_page.ts";
import type { ProofDocument, Proofs, ProofSubject } from "../store/core/proof/proofs.ts";
import { AwaitedPages, type AwaitedRead } from "../store/feed/awaited_pages.ts";
import { termsWithin } from "../store/feed/filter_terms.ts";
import { parseQueried } from "../wire/event.ts";
import type { Admission } from "../write_queue/admission.ts";
import type { EndedWrite, WriteQueue } from "../write_queue/write_queue.ts";
import { CatalogsWithin } from "./catalogs_within.ts";

interface ViewParts {
  readonly store: Pick<Store, "reads" | "writer">;
  readonly queue: Pick<WriteQueue, "write" | "alone">;
  readonly catalog: Pick<Catalog, "document">;
  readonly proofs: Pick<Proofs, "document"> | undefined;
  readonly awaited: AwaitedPages;
  readonly catalogsWithin: CatalogsWithin;
}

/** Makes the views of a store. Routes have no other way to its events and projections. */
export class StoreViews {
  readonly #parts: ViewParts;

  /** @param proofs undefined without the setting `subjects` */
  constructor(
    store: Store,
    queue: ViewParts["queue"],
    catalog: ViewParts["catalog"],
    proofs?: ViewParts["proofs"],
  ) {
    const { reads } = store;
    this.#parts = {
      store,
      queue,
      catalog,
      proofs,
      awaited: new AwaitedPages(store),
      catalogsWithin: new CatalogsWithin(reads),
    };
  }

  of(access: Access): StoreView {
    return new StoreView(this.#parts, access);
  }
}

/**
 * The events and projections of a store, as far as a token may see and change them. For a token without `within`, that
 * is all of them, just as they are. For others, every query is restricted here, and every write is checked.
 */
export class StoreView {
  readonly #parts: ViewParts;
  readonly #access: Access;

  constructor(parts: ViewParts, access: Access) {
    this.#parts = parts;
    this.#access = access;
  }

  /** Throws like `openPage`. */
  page(request: ReadRequest, client: Client): Promise<Page> {
    return openPage(this.#parts.store.reads, this.#restricted(request), client);
  }

  /** Throws like `AwaitedPages.page`. */
  awaitedPage(read: AwaitedRead, client: Client, onWaiting: () => void): Promise<Page> {
    const { within } = this.#access;
    const restricted = within === undefined
      ? read
      : { ...this.#restricted(read), terms: termsWithin(read.terms, within) };
    return this.#parts.awaited.page(restricted, client, onWaiting);
  }

  /** Throws like `StoreReads.projection`. */
  projection(key: ProjectionKey, client: Client): Promise<FoundProjection> {
    return this.#parts.store.reads.projection(this.#key(key), client);
  }

  /** Throws like `StoreReads.projections`. */
  projections({ type, after, ...request }: ListRequest, client: Client): Promise<ProjectionLines> {
    const restricted = {
      ...request,
      space: this.#space,
      type: type && this.#space + type,
      after: after && this.#key(after),
    };
    return this.#parts.store.reads.projections(restricted, client);
  }

  /** Throws like `StoreReads.subjects`. */
  subjects(afterRow: number): Promise<SubjectsPart> {
    return this.#parts.store.reads.subjects(afterRow);
  }

  /** Throws like `Catalog.document`. */
  catalog(): Promise<CatalogDocument> {
    const { within } = this.#access;
    return within === undefined
      ? this.#parts.catalog.document()
      : this.#parts.catalogsWithin.document(within);
  }

  /**
   * Throws like `Proofs.document`.
   * @throws ApiError `Forbidden` for a token with `within`, since a root covers all events
   */
  async proof(subject: ProofSubject, head: number | undefined): Promise<ProofDocument> {
    const { within, name, onForbidden } = this.#access;
    if (within !== undefined) {
      onForbidden?.();
      throw new ApiError("Forbidden", `a proof covers all events, and the token ${name} sees only some`);
    }
    if (this.#parts.proofs === undefined) throw new Error("proofs need the setting subjects");
    return await this.#parts.proofs.document(subject, head);
  }

  /** Throws like `WriteQueue.write`, and like `assertWithin`. */
  async write(admission: Admission, write: StoreWrite): Promise<EndedWrite> {
    return await this.#parts.queue.write(admission, this.#checked(write));
  }

  /**
   * Destroys the keys of a subject in a turn of its own, and appends events in it. Throws like `WriteQueue.alone`.
   * @param assertAllowed called in that turn
   */
  async forget(
    admission: Admission,
    write: StoreWrite & Required<Pick<StoreWrite, "forget">>,
    assertAllowed: () => void,
  ): Promise<Outcome<WriteResult>> {
    const { queue, store } = this.#parts;
    return await queue.alone(admission, async () => {
      assertAllowed();
      const group = store.writer.group([this.#checked(write)]);
      return await outcomeOf(group.then(([outcome]) => outcome as Outcome<WriteResult>));
    });
  }

  /**
   * Reads a page inside the open transaction of the store.
   * @param run runs each of its reads
   */
  pageInside(
    request: ReadRequest,
    client: Client,
    run: <T>(read: () => Promise<T>) => Promise<T>,
  ): Promise<Page> {
    const { writer } = this.#parts.store;
    const chunk = (part: ChunkRequest) => run(() => writer.readChunkInside(part));
    return openPage({ chunk }, this.#restricted(request), client);
  }

  projectionInside(key: ProjectionKey): Promise<FoundProjection> {
    return this.#parts.store.writer.readProjectionInside(this.#key(key));
  }

  /** Throws like `assertWithin`. */
  async writeInside(write: StoreWrite): Promise<Outcome<WriteResult>> {
    return await this.#parts.store.writer.writeInside(this.#checked(write));
  }

  /**
   * Checks that the token may write events.
   * @param bodies texts of `eventBody`
   * @throws ApiError `Forbidden` that names the first event that it may not write
   */
  assertWithin(bodies: readonly string[]): void {
    const { within, name, onForbidden } = this.#access;
    if (within === undefined) return;
    for (const [i, body] of bodies.entries()) {
      const lacking = lackingIdentifier(parseQueried(body), within);
      if (lacking === undefined) continue;
      onForbidden?.();
      const rule = `${lacking.name}=${lacking.value} and no other ${lacking.name}`;
      throw new ApiError("Forbidden", `events[${i}]: the token ${name} writes only events with ${rule}`);
    }
  }

  get #space(): string {
    return this.#access.within?.space ?? "";
  }

  #key<K extends ProjectionKey>(key: K): K {
    const space = this.#space;
    return space === "" ? key : { ...key, type: space + key.type };
  }

  #restricted<R extends ReadRequest>(request: R): R {
    const { within } = this.#access;
    return within === undefined ? request : { ...request, query: queryWithin(request.query, within) };
  }

  #checked(write: StoreWrite): StoreWrite {
    const { within } = this.#access;
    if (within === undefined) return write;
    this.assertWithin(write.events.map(({ body }) => body));
    return { ...write, conditions: conditionsWithin(write, within), projections: this.#changes(write) };
  }

  #changes({ projections: { create, replace, delete: deleted } }: StoreWrite): ProjectionChanges {
    const own = <K extends ProjectionKey>(changes: readonly K[]): K[] => changes.map((key) => this.#key(key));
    return { create: own(create), replace: own(replace), delete: own(deleted) };
  }
}

function conditionsWithin({ conditions }: StoreWrite, within: Within): StoreWrite["conditions"] {
  return conditions.map((condition) => ({
    ...condition,
    failIfEventsMatch: queryWithin(condition.failIfEventsMatch, within),
  }));
}
