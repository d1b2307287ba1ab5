import type { Page } from "./page_files.ts";

/** Where the store is that is looked at. */
export interface StoreAddress {
  /** Such as `http://127.0.0.1:8085`, without a name and a password. */
  readonly url?: string | undefined;
  /** The unix socket of the server, instead of `url`. */
  readonly socketPath?: string | undefined;
  /** Goes to the store with each request, and never to the browser. */
  readonly token?: string | undefined;
}

export interface ExplorerOptions {
  readonly store: StoreAddress;
  /** On 127.0.0.1; 0, the default, is any that is free. */
  readonly port?: number | undefined;
  /** Whether the page may write to the store, too. Default false. */
  readonly allowWrites?: boolean | undefined;
  /** What the browser loads. Default: the page that belongs to this version. */
  readonly page?: Page | undefined;
}
