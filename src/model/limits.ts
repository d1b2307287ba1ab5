/* Limits that no setting changes. */

export const TAGS_PER_NAMESPACE_MAX = 20;
export const QUERY_ITEMS_MAX = 100;
export const QUERY_ITEM_VALUES_MAX = 100;

/** Items in a query before the repeated ones are dropped. */
export const QUERY_ITEMS_GIVEN_MAX = 10_000;

/** Values in all queries that are checked in one turn, so that none takes long: as many as the largest query has. */
export const VALUES_PER_TURN_MAX = QUERY_ITEMS_MAX * QUERY_ITEM_VALUES_MAX;
