import type { Client, EventsPage, RequestOptions } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";

/** Describes to the contract how an edition does the operations that every edition has. */
export interface ContractEdition {
  readonly name: "A" | "B" | "C";
  /** The query for every event. */
  readonly every: string;
  /** The query for no event, where the edition has one. */
  readonly none?: string;
  /** Strings that are queries of other editions only. */
  readonly foreignLiterals: readonly string[];
  /** The largest request body under `CONTRACT_ENV`, and how a larger one is rejected. */
  readonly bodyCap: { readonly bytes: number; readonly message: string };
  /** The text before `create[0]` in messages. */
  readonly changesPath: string;
  /** Every path and the methods that it takes, in development mode. */
  readonly paths: readonly (readonly [target: string, methods: readonly string[]])[];
  /** Paths that only other editions have. */
  readonly foreignPaths: readonly string[];
  /** Sends a body `{"events": [...]}`, and commits when it is accepted. @returns the reply to that body */
  sendEvents(client: Client, body: string | Uint8Array): Promise<Reply>;
  /** Sends `{create, replace, delete}`, with versions, and commits when it is accepted. */
  changeProjections(client: Client, changes: unknown): Promise<Reply>;
  /** Sends `DELETE` for `/projections` or `/projections/{type}`. */
  deleteProjections(client: Client, target: string, options?: RequestOptions): Promise<Reply>;
  /** Sends `POST /reset`, with the calls that must come before and after it. @returns the reply to the reset */
  reset(client: Client, options?: RequestOptions): Promise<Reply>;
}

export const PAGE_DEFAULT = 3;
export const PAGE_MAX = 5;
export const ITEM_BYTES_MAX = 100;

/** Settings with small limits for the servers of the contract. */
export const CONTRACT_ENV: Readonly<Record<string, string>> = {
  SERVICE_DEV_MODE: "true",
  SERVICE_SUBJECTS: "student",
  SERVICE_DEFAULT_EVENTS_PER_PAGE: String(PAGE_DEFAULT),
  SERVICE_MAX_EVENTS_PER_PAGE: String(PAGE_MAX),
  SERVICE_MAX_EVENT_SIZE: String(ITEM_BYTES_MAX),
  SERVICE_MAX_PROJECTION_SIZE: String(ITEM_BYTES_MAX),
  SERVICE_MAX_REQUEST_BODY_SIZE: "20000",
};

/** The cap of the editions that have `maxRequestBodySize`. */
export const REQUEST_BODY_CAP: ContractEdition["bodyCap"] = {
  bytes: 20000,
  message: "request body exceeds maxRequestBodySize (20000 bytes)",
};

/** Registers a test of one edition. The test starts with an empty store. */
export type ContractTest = (name: string, run: (subject: Subject) => Promise<void>) => void;

/** An edition on a running server, with helpers for tests. */
export class Subject {
  readonly edition: ContractEdition;
  readonly client: Client;

  constructor(edition: ContractEdition, client: Client) {
    this.edition = edition;
    this.client = client;
  }

  async append(...events: readonly unknown[]): Promise<void> {
    mustBe(200, await this.edition.sendEvents(this.client, JSON.stringify({ events })));
  }

  change(changes: unknown): Promise<Reply> {
    return this.edition.changeProjections(this.client, changes);
  }

  /** @returns the version of the projection */
  async createProjection(type: string, id: string, payload: string): Promise<string> {
    mustBe(200, await this.change({ create: [{ type, id, payload }] }));
    const path = `/projections/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
    const version = (await this.client.request("GET", path)).headers.get("x-service-version");
    if (version === undefined) throw new Error("a projection without X-Service-Version");
    return version;
  }

  page(query: unknown = this.edition.every, range: object = {}): Promise<EventsPage> {
    return this.client.queryEvents(query, range);
  }

  /** Reads the payloads of the matching events page by page. */
  async payloads(query: unknown = this.edition.every): Promise<string[]> {
    return (await this.client.allEvents(query)).map(({ payload }) => payload);
  }

  async storeId(): Promise<string> {
    const { store } = await this.page();
    if (store === undefined) throw new Error("a page without X-Service-Store");
    return store;
  }

  read(body: string | Uint8Array): Promise<Reply> {
    return this.client.request("QUERY", "/events", { body });
  }
}

export function mustBe(status: number, reply: Reply): Reply {
  if (reply.status !== status) throw new Error(`${status} expected: ${reply.status} ${reply.text}`);
  return reply;
}

/** Builds an event for a request. */
export function eventOf(type: string, payload: string, identifiers: unknown = {}): unknown {
  return { type, identifiers, payload };
}
