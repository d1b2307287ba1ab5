import { ClientDisconnected } from "../../model/errors.ts";
import { BodyQuotaExceeded } from "../exchange.ts";
import type { ReadingClock } from "../../time/reading_clock.ts";
import type { Timeouts } from "./timeouts.ts";

/*
 * The memory that request bodies may take together. Whoever has to wait for it is not read meanwhile, so the
 * operating system slows its client down.
 *
 * A body of unknown length first asks for room among the medium ones, and holds it while it waits for more among
 * the large ones. Nobody waits the other way round, so no two can wait for each other; and while others wait for
 * what it holds, it is too slow like anyone who brings nothing, so that it holds them up for a moment only.
 */

/** A body of this size needs no room; all connections together take 32 MiB for such. */
export const FREE_BYTES = 16 * 1024;

/** Bodies up to this size have a share of their own, so that they never wait for larger ones. */
export const MEDIUM_BYTES_MAX = 1024 * 1024;

const MEDIUM_SHARE_BYTES = 32 * 1024 * 1024;

/** One that is larger than this whole share takes all of it, and more. */
const LARGE_SHARE_BYTES = 64 * 1024 * 1024;

/** What a body that holds room must bring at least in `Timeouts.contendedBody` seconds while others wait for it. */
const CONTENDED_BYTES_MIN = 32 * 1024;

/**
 * In this part of `Timeouts.bodyRoom` all of a body must come while others wait. The rest makes up for sweeps, which
 * notice up to an interval later that enough has come.
 */
const CONTENDED_PART = 0.85;

/** Whose body it is. */
interface Sender {
  /** All bytes that it has sent so far. */
  readonly received: () => number;
  /** Called when others need the room more. */
  readonly giveUp: () => void;
}

export type BudgetTimes = Pick<Timeouts, "bodyRoom" | "contendedBody">;

type Clock = Pick<ReadingClock, "now">;

/** Shares out memory among the bodies that are being received or whose requests are being handled. */
export class BodyBudget {
  readonly #medium: Share;
  readonly #large: Share;

  constructor(times: BudgetTimes, clock: Clock) {
    this.#medium = new Share(MEDIUM_SHARE_BYTES, times, clock);
    this.#large = new Share(LARGE_SHARE_BYTES, times, clock);
  }

  /** Asks for room; bodies of a share get it in the order in which they ask. */
  reserve(bytes: number, sender: Sender): Reservation {
    return (bytes <= MEDIUM_BYTES_MAX ? this.#medium : this.#large).reserve(bytes, sender);
  }

  /** Ends what has taken too long. `now` by the same clock. */
  sweep(now: number): void {
    this.#medium.sweep(now);
    this.#large.sweep(now);
  }

  /** Rejects everybody who waits, now and from now on. */
  close(): void {
    this.#medium.close();
    this.#large.close();
  }
}

/** Room for one body, wanted or held. */
export class Reservation {
  readonly bytes: number;
  readonly askedAt: number;
  readonly #sender: Sender;
  readonly #granted = Promise.withResolvers<void>();
  readonly #onRelease: () => void;
  #state: "waiting" | "receiving" | "givenUp" | "complete" | "over" = "waiting";
  /** When enough had come the last time, or others began to wait, and how much had come until then. */
  #enough = { at: 0, received: 0 };

  constructor(bytes: number, sender: Sender, now: number, onRelease: () => void) {
    this.bytes = bytes;
    this.#sender = sender;
    this.askedAt = now;
    this.#onRelease = onRelease;
    // Nobody may be waiting for it any more.
    this.#granted.promise.catch(() => {});
  }

  /** Resolves when the body may be read. Rejects with BodyQuotaExceeded, or as it is released. */
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

  /** Gives the room back, or waits for it no longer. */
  release(why: Error = new ClientDisconnected()): void {
    if (this.#state === "over") return;
    this.reject(why);
    this.#onRelease();
  }

  grant(): void {
    this.#state = "receiving";
    this.#granted.resolve();
  }

  reject(why: Error): void {
    this.#state = "over";
    this.#granted.reject(why);
  }

  /** Judges by what comes from now on. */
  watchFrom(now: number): void {
    this.#enough = { at: now, received: this.#sender.received() };
  }

  /**
   * The bytes that came in the last so many seconds, as a part of those required.
   * @returns Infinity while it is too early to tell, or when the client is not to be blamed
   */
  partBrought(now: number, seconds: number, bytesRequired: number): number {
    if (this.#state !== "receiving") return Infinity;
    const brought = this.#sender.received() - this.#enough.received;
    if (brought >= bytesRequired) this.watchFrom(now);
    return now - this.#enough.at > seconds * 1000 ? brought / bytesRequired : Infinity;
  }

  /** Whether the room is about to become free. */
  get isGivenUp(): boolean {
    return this.#state === "givenUp";
  }

  giveUp(): void {
    this.#state = "givenUp";
    this.#sender.giveUp();
  }
}

/** Room for the bodies of one range of sizes. */
class Share {
  readonly #bytes: number;
  readonly #times: BudgetTimes;
  readonly #clock: Clock;
  readonly #holders = new Set<Reservation>();
  #waiting: Reservation[] = [];
  #taken = 0;
  #closed = false;

  constructor(bytes: number, times: BudgetTimes, clock: Clock) {
    this.#bytes = bytes;
    this.#times = times;
    this.#clock = clock;
  }

  reserve(bytes: number, sender: Sender): Reservation {
    const { now } = this.#clock;
    const reservation: Reservation = new Reservation(bytes, sender, now, () => this.#released(reservation));
    this.#waiting.push(reservation);
    this.#grantAll();
    if (this.#closed) this.close();
    // How slow anybody was while nobody waited does not matter.
    if (this.#waiting.length === 1 && reservation.waits) {
      for (const holder of this.#holders) holder.watchFrom(now);
    }
    return reservation;
  }

  sweep(now: number): void {
    const late = this.#waiting.filter(({ askedAt }) => now - askedAt > this.#times.bodyRoom * 1000);
    this.#giveUpSlowest(now);
    this.#reject(late);
  }

  /** Gives up those that bring too little, the slowest first, but no more of them than the first who waits needs. */
  #giveUpSlowest(now: number): void {
    const first = this.#waiting[0];
    if (first === undefined) return;
    const { bodyRoom, contendedBody } = this.#times;
    const slow: { holder: Reservation; part: number }[] = [];
    let holders = 0;
    let taken = 0;
    for (const holder of this.#holders) {
      if (holder.isGivenUp) continue;
      holders++;
      taken += holder.bytes;
      const proportional = holder.bytes * contendedBody / (CONTENDED_PART * bodyRoom);
      const part = holder.partBrought(now, contendedBody, Math.max(CONTENDED_BYTES_MIN, proportional));
      if (part < 1) slow.push({ holder, part });
    }
    slow.sort((a, b) => a.part - b.part);
    for (const { holder } of slow) {
      if (this.#fits(first, holders, taken)) return;
      holders--;
      taken -= holder.bytes;
      holder.giveUp();
    }
  }

  /** Whether there is room for one more beside so many. */
  #fits({ bytes }: Reservation, holders: number, taken: number): boolean {
    return holders === 0 || taken + bytes <= this.#bytes;
  }

  close(): void {
    this.#closed = true;
    this.#reject(this.#waiting);
  }

  #reject(reservations: readonly Reservation[]): void {
    this.#waiting = this.#waiting.filter((waiting) => !reservations.includes(waiting));
    for (const reservation of reservations) reservation.reject(new BodyQuotaExceeded());
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
      if (!this.#fits(first, this.#holders.size, this.#taken)) return;
      this.#waiting.shift();
      this.#holders.add(first);
      this.#taken += first.bytes;
      first.watchFrom(this.#clock.now);
      first.grant();
    }
  }
}
