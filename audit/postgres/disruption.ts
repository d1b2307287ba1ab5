import type { Random } from "../workload/random.ts";
import type { StoreServer } from "./store_server.ts";

/** What is disrupted. */
export interface Scene {
  readonly servers: readonly StoreServer[];
  /** The one that is meant, if it is about one. */
  readonly target: StoreServer;
  readonly random: Random;
}

/** What has happened. */
export interface Struck {
  /** Whether the other servers must go on before it is mended. */
  readonly sparesOthers: boolean;
  /** How many transactions it is known to have met. */
  readonly inside: number;
  /** What an operator, or what supervises the programs, does about it. Then all servers must go on. */
  readonly mend: () => Promise<void>;
  /** What takes its time beside clients that go on. */
  readonly recover?: () => Promise<void>;
}

export interface Disruption {
  readonly name: string;
  readonly strike: (scene: Scene) => Promise<Struck>;
  /** Whether a write may be answered 500, since PostgreSQL itself has failed. Connections that fail are a 503. */
  readonly mayFail?: boolean;
  /** Whether one client alone would not do, since its server has to be that which is meant, or has to wait. */
  readonly needsClients?: boolean;
}
