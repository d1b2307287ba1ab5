/* Limits that no setting changes. */

/** The highest value of the setting `maxTagsPerEvent`. */
export const TAGS_PER_NAMESPACE_MAX = 256;

/** The default of that setting. A token for part of a store has at most as many identifiers, whatever the setting. */
export const TAGS_PER_NAMESPACE = 20;

export const QUERY_ITEMS_MAX = 100;
export const QUERY_ITEM_VALUES_MAX = 100;

/** The maximum of items in a query before duplicates are dropped. */
export const QUERY_ITEMS_GIVEN_MAX = 10_000;

/**
 * The maximum of values in all queries of a write, or of a transaction of edition B, so that no check takes long. The
 * largest query has as many.
 */
export const VALUES_PER_WRITE_MAX = QUERY_ITEMS_MAX * QUERY_ITEM_VALUES_MAX;

/** The maximum of events that are appended when a subject is forgotten. */
export const FORGET_EVENTS_MAX = 100;
