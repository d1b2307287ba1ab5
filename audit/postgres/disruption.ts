import type { Random } from "../workload/random.ts";
import type { StoreServer } from "./store_server.ts";

/** The target of a disruption. */
export interface Scene {
  readonly servers: readonly StoreServer[];
  /** The affected server, for disruptions of one server. */
  readonly target: StoreServer;
  readonly random: Random;
}

/** The effect of a disruption. */
export interface Struck {
  /** True when the other servers must continue before the repair. */
  readonly sparesOthers?: boolean;
  /** The number of transactions that it is known to have interrupted. */
  readonly inside?: number;
  /** The repair by an operator or a supervisor, if it needs one. After it all servers must continue. */
  readonly mend?: () => void | Promise<void>;
  /** Further recovery that takes its time while clients continue. */
  readonly recover?: () => Promise<void>;
}

export interface Disruption {
  readonly name: string;
  readonly strike: (scene: Scene) => Promise<Struck>;
  /** True when a write may be answered 500, since PostgreSQL itself has failed. Connections that fail cause a 503. */
  readonly mayFail?: boolean;
  /** True when one client alone is not enough: its server has to be the affected one, or has to wait. */
  readonly needsClients?: boolean;
}
