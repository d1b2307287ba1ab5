export const STORE_HEADER = "X-Service-Store";
export const VERSION_HEADER = "X-Service-Version";

/** For answers of reads: what was read may have changed by the next moment. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
