import { ClientLeft } from "../../model/errors.ts";
import { NoRoomForBody } from "../exchange.ts";
import type { Timeouts } from "./timeouts.ts";

/*
 * The memory that request bodies may take together. Whoever has to wait for it is not read meanwhile, so the
 * operating system slows its client down.
 */

/** A body of this size needs no room; all connections together take 32 MiB for such. */
export const FREE_BYTES = 16 * 1024;

/** Bodies up to this size have a share of their own, so that they never wait for larger ones. */
const MEDIUM_BYTES_MAX = 1024 * 1024;

const MEDIUM_SHARE_BYTES = 32 * 1024 * 1024;

/** One that is larger than this whole share takes all of it, and more. */
const LARGE_SHARE_BYTES = 64 * 1024 * 1024;

/** What a body that holds room must bring in `Timeouts.contendedBody` seconds while others wait for it. */
const CONTENDED_BYTES_MIN = 32 * 1024;

/** Whose body it is. */
interface Sender {
  /** All bytes that it has sent so far. */
  readonly received: () => number;
  /** Called when others need the room more. */
  readonly giveUp: () => void;
}

export type BudgetTimes = Pick<Timeouts, "bodyRoom" | "contendedBody">;

/** Shares out memory among the bodies that are being received or whose requests are being handled. */
export class BodyBudget {
  readonly #medium: Share;
  readonly #large: Share;

  constructor(times: BudgetTimes) {
    this.#medium = new Share(MEDIUM_SHARE_BYTES, times);
    this.#large = new Share(LARGE_SHARE_BYTES, times);
  }

  /** Asks for room; bodies of a share get it in the order in which they ask. */
  reserve(bytes: number, sender: Sender): Reservation {
    return (bytes <= MEDIUM_BYTES_MAX ? this.#medium : this.#large).reserve(bytes, sender);
  }

  /** Ends what has taken too long. `now` by the monotonic clock, in milliseconds. */
  sweep(now: number): void {
    this.#medium.sweep(now);
    this.#large.sweep(now);
  }

  /** Refuses everybody who waits, now and from now on. */
  close(): void {
    this.#medium.close();
    this.#large.close();
  }
}

/** Room for one body, wanted or held. */
export class Reservation {
  readonly bytes: number;
  readonly sender: Sender;
  readonly askedAt = performance.now();
  readonly #granted = Promise.withResolvers<void>();
  readonly #onRelease: () => void;
  #state: "waiting" | "receiving" | "complete" | "over" = "waiting";
  /** When enough had come the last time, and how much that was. */
  #enough = { at: 0, received: 0 };

  constructor(bytes: number, sender: Sender, onRelease: () => void) {
    this.bytes = bytes;
    this.sender = sender;
    this.#onRelease = onRelease;
    // Nobody may be waiting for it any more.
    this.#granted.promise.catch(() => {});
  }

  /** Resolves when the body may be read. Rejects with NoRoomForBody, or ClientLeft once it is released. */
  get granted(): Promise<void> {
    return this.#granted.promise;
  }

  get waits(): boolean {
    return this.#state === "waiting";
  }

  /** The body has come: its client cannot be blamed for anything from now on. */
  complete(): void {
    if (this.#state === "receiving") this.#state = "complete";
  }

  release(): void {
    if (this.#state === "over") return;
    this.refuse(new ClientLeft());
    this.#onRelease();
  }

  grant(): void {
    this.#state = "receiving";
    this.#enough = { at: performance.now(), received: this.sender.received() };
    this.#granted.resolve();
  }

  refuse(why: Error): void {
    this.#state = "over";
    this.#granted.reject(why);
  }

  /** Whether too little of the body has come in the last so many seconds. */
  isTooSlow(now: number, seconds: number): boolean {
    if (this.#state !== "receiving") return false;
    const received = this.sender.received();
    if (received - this.#enough.received >= CONTENDED_BYTES_MIN) this.#enough = { at: now, received };
    return now - this.#enough.at > seconds * 1000;
  }
}

/** Room for the bodies of one range of sizes. */
class Share {
  readonly #bytes: number;
  readonly #times: BudgetTimes;
  readonly #holders = new Set<Reservation>();
  #waiting: Reservation[] = [];
  #taken = 0;
  #closed = false;

  constructor(bytes: number, times: BudgetTimes) {
    this.#bytes = bytes;
    this.#times = times;
  }

  reserve(bytes: number, sender: Sender): Reservation {
    const reservation: Reservation = new Reservation(bytes, sender, () => this.#released(reservation));
    this.#waiting.push(reservation);
    this.#grantAll();
    if (this.#closed) this.close();
    return reservation;
  }

  sweep(now: number): void {
    const late = this.#waiting.filter(({ askedAt }) => now - askedAt > this.#times.bodyRoom * 1000);
    this.#refuse(late);
    for (const holder of this.#holders) {
      const tooSlow = holder.isTooSlow(now, this.#times.contendedBody);
      if (tooSlow && this.#waiting.length > 0) holder.sender.giveUp();
    }
  }

  close(): void {
    this.#closed = true;
    this.#refuse(this.#waiting);
  }

  #refuse(reservations: readonly Reservation[]): void {
    this.#waiting = this.#waiting.filter((waiting) => !reservations.includes(waiting));
    for (const reservation of reservations) reservation.refuse(new NoRoomForBody());
    this.#grantAll();
  }

  #released(reservation: Reservation): void {
    if (this.#holders.delete(reservation)) this.#taken -= reservation.bytes;
    else this.#waiting = this.#waiting.filter((waiting) => waiting !== reservation);
    this.#grantAll();
  }

  /** In order of arrival: a small one does not overtake, or a large one might wait forever. */
  #grantAll(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#holders.size > 0 && this.#taken + first.bytes > this.#bytes) return;
      this.#waiting.shift();
      this.#holders.add(first);
      this.#taken += first.bytes;
      first.grant();
    }
  }
}
