import type { Handler } from "../http/exchange.ts";
import type { Standby } from "../store/api/standby.ts";
import type { Store } from "../store/api/store.ts";
import { makeStandbyHandler } from "./standby_handler.ts";
import { Leadership, type LeadershipHost } from "./leadership.ts";

/** How long reads of an ended leadership may continue. */
const LAST_READS_MILLISECONDS = 10_000;

export interface RoleHost extends LeadershipHost {
  /** Called with the reason why no write can be trusted any more, if no other server could take over. */
  readonly onBroken: (reason: string) => void;
  /** See `ServerParts`. */
  readonly onLost: (reason: string) => void;
  /** Called with a line when the server becomes active, or stands by. */
  readonly onRole: (line: string) => void;
}

/**
 * Switches a server between being the active one of its store and standing by, and passes requests to the right
 * handler.
 */
export class Role {
  /** How often it has become active. */
  activations = 0;
  readonly #host: RoleHost;
  readonly #standby: Standby | undefined;
  readonly #standbyHandler: Handler | undefined;
  #leadership: Leadership | undefined;
  #isStopping = false;
  /** Stores of ended leaderships that clients still read from. */
  readonly #lastRead = new Map<Store, ReturnType<typeof setTimeout>>();

  /** @param standby undefined where this server is the only one */
  constructor(host: RoleHost, standby: Standby | undefined) {
    this.#host = host;
    this.#standby = standby;
    this.#standbyHandler = standby && makeStandbyHandler(host, standby);
  }

  get isActive(): boolean {
    return this.#leadership !== undefined;
  }

  get storeId(): string {
    return this.#leadership?.store.storeId ?? this.#standby!.storeId;
  }

  /** Answers a request. */
  readonly handler: Handler = (request) => (this.#leadership?.handler ?? this.#standbyHandler!)(request);

  /** @param store undefined when another server is active */
  begin(store: Store | undefined): void {
    if (store === undefined) this.#takeOver();
    else this.#become(store);
  }

  /** Finishes what runs and lets another server take over. */
  async end(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#leadership?.end(), this.#standby?.close()]);
  }

  /** Ends all reads. */
  async close(): Promise<void> {
    for (const timer of this.#lastRead.values()) clearTimeout(timer);
    const stores = [
      ...this.#lastRead.keys(),
      ...this.#leadership === undefined ? [] : [this.#leadership.store],
    ];
    await Promise.all(stores.map((store) => store.close()));
  }

  #become(store: Store): void {
    const leadership = new Leadership(this.#host, store);
    store.onNotice = (notice) => {
      if (notice.kind === "lost") this.#host.onLost(notice.reason);
      else if (notice.kind !== "broken") leadership.log(notice);
      else if (this.#standby === undefined) this.#host.onBroken(notice.reason);
      else this.#standDown(leadership, notice.reason);
    };
    this.#leadership = leadership;
    this.activations++;
  }

  async #takeOver(): Promise<void> {
    const store = await this.#standby!.takeOver();
    if (store === undefined) return;
    if (this.#isStopping) return await store.close();
    this.#become(store);
    const { storeId, head } = store.opened;
    this.#host.onRole(`active: store ${storeId}, which ends at sequence ${head}`);
  }

  /** Ends the leadership. Another one may follow. */
  #standDown(leadership: Leadership, reason: string): void {
    if (this.#leadership !== leadership || this.#isStopping) return;
    this.#leadership = undefined;
    this.#host.onRole(`standing by: ${reason}`);
    const close = (): void => {
      this.#lastRead.delete(leadership.store);
      leadership.store.close().catch(this.#host.reportFailure);
    };
    this.#lastRead.set(leadership.store, setTimeout(close, LAST_READS_MILLISECONDS));
    leadership.end().catch(this.#host.reportFailure);
    this.#takeOver();
  }
}
