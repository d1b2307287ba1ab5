/** Limits of the specification that no setting changes. */

export const TAGS_PER_NAMESPACE_MAX = 20;
export const QUERY_ITEMS_MAX = 100;
export const QUERY_ITEM_VALUES_MAX = 100;
