/** Limits of the specification that no setting changes. */

export const TAGS_PER_NAMESPACE_MAX = 20;
/** Events of one call in a transaction with a ticket. */
export const EVENTS_PER_CALL_MAX = 100;
export const QUERY_ITEMS_MAX = 100;
export const QUERY_ITEM_VALUES_MAX = 100;

/** Seconds that one line of an events page has to go out. */
export const LINE_TIMEOUT_SECONDS = 30;

/** Longest path of a unix socket, in bytes, that every kernel we run on accepts. */
export const SOCKET_PATH_BYTES_MAX = 107;
