import type { Page } from "./page_files.ts";

/** The address of the store. */
export interface StoreAddress {
  /** Such as `http://127.0.0.1:8085`, without user name and password. */
  readonly url?: string | undefined;
  /** The unix socket of the server, instead of `url`. */
  readonly socketPath?: string | undefined;
  /** Further options of `fetch`, such as one that adds a certificate authority. */
  readonly fetchOptions?: object | undefined;
  /** The explorer sends it to the store with each request, and never to the browser. */
  readonly token?: string | undefined;
}

export interface ExplorerOptions {
  readonly store: StoreAddress;
  /** The port on 127.0.0.1. Default: 0, any free port. */
  readonly port?: number | undefined;
  /** True if the page may also write to the store. Default: false. */
  readonly allowWrites?: boolean | undefined;
  /** The page that the browser loads. Default: the page of this version. */
  readonly page?: Page | undefined;
}
