/*
 * The paths and names of the Debian package. The units and the maintainer scripts cannot import them, and repeat them.
 * A test compares them.
 */

/** The system user that runs the services, and its group. */
export const USER = "eventstore";

export const CONFIG_PATH = "/etc/eventstore/config.toml";

/** Environment variables that hold tokens, readable by root only. Not part of the package. */
export const TOKENS_PATH = "/etc/eventstore/tokens.env";

export const DATA_DIRECTORY = "/var/lib/eventstore";
export const BACKUP_DIRECTORY = "/var/lib/eventstore-backup";
/** The copies of the keys of subjects, apart from the events. */
export const KEYS_DIRECTORY = "/var/lib/eventstore-keys";
export const SOCKET_PATH = "/run/service/service.sock";
