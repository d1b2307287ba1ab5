/* Small limits, so that commands reach them at little cost. */

export const EVENT_BYTES_MAX = 400;
export const PROJECTION_BYTES_MAX = 300;
export const PAGE_EVENTS_MAX = 120;
export const PAGE_EVENTS_DEFAULT = 100;
export const BODY_BYTES_MAX = 40_000;
/**
 * The limit of one write of edition A and of one transaction of edition B. A store with this many events uses the
 * index.
 */
export const EVENTS_MAX = 100;
/** The limit of one write of edition A and of one request of editions B and C. */
export const PROJECTIONS_MAX = 5;
export const TX_LIMITS = { events: EVENTS_MAX, reads: 6, projections: 4 };
export const OPEN_TX_MAX = 3;
export const WAITING_MAX = 3;

/** The limit of edition C, which derives it; see docs/configuration.md. */
export const TICKET_BODY_BYTES_MAX = 1024 * 1024 +
  Math.max(100 * (6 * EVENT_BYTES_MAX + 4096), PROJECTIONS_MAX * (6 * PROJECTION_BYTES_MAX + 4096));

/** Nothing may expire, however busy the machine is. */
const NEVER_SECONDS = "3600";

export const LIMIT_VARIABLES: Readonly<Record<string, string>> = {
  SERVICE_MAX_EVENT_SIZE: String(EVENT_BYTES_MAX),
  SERVICE_MAX_PROJECTION_SIZE: String(PROJECTION_BYTES_MAX),
  SERVICE_MAX_EVENTS_PER_PAGE: String(PAGE_EVENTS_MAX),
  SERVICE_DEFAULT_EVENTS_PER_PAGE: String(PAGE_EVENTS_DEFAULT),
  SERVICE_MAX_REQUEST_BODY_SIZE: String(BODY_BYTES_MAX),
  SERVICE_MAX_EVENTS_PER_WRITE: String(EVENTS_MAX),
  SERVICE_MAX_PROJECTIONS_PER_WRITE: String(PROJECTIONS_MAX),
  SERVICE_MAX_PROJECTIONS_PER_REQUEST: String(PROJECTIONS_MAX),
  SERVICE_MAX_EVENTS_PER_TX: String(TX_LIMITS.events),
  SERVICE_MAX_PROJECTIONS_PER_TX: String(TX_LIMITS.projections),
  SERVICE_MAX_READS_PER_TX: String(TX_LIMITS.reads),
  SERVICE_MAX_OPEN_TX: String(OPEN_TX_MAX),
  SERVICE_MAX_QUEUED_WRITES: String(WAITING_MAX),
  SERVICE_MAX_QUEUED_TRANSACTIONS: String(WAITING_MAX),
  SERVICE_TX_IDLE_TIMEOUT: NEVER_SECONDS,
  SERVICE_TRANSACTION_TIMEOUT: NEVER_SECONDS,
  SERVICE_MAX_TRANSACTION_DURATION: NEVER_SECONDS,
};
