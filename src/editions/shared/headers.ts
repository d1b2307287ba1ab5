export const STORE_HEADER = "X-Service-Store";
/** The highest sequence of the store when the page was begun. */
export const HEAD_HEADER = "X-Service-Head";
export const VERSION_HEADER = "X-Service-Version";

/** For responses to reads, which may be out of date a moment later. */
export const NOT_CACHED = { "Cache-Control": "no-store" } as const;
