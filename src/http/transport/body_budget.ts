import { MemoryQuota } from "../../async/memory_quota.ts";
import type { ReadingClock } from "../../time/reading_clock.ts";
import { BodyQuotaExceeded } from "../exchange.ts";
import { Reservation, type Sender } from "./reservation.ts";
import type { Timeouts } from "./timeouts.ts";

/*
 * The memory that request bodies may take together. The server does not read from a client whose body waits for
 * memory, so the operating system slows that client down.
 *
 * A body of unknown length first reserves memory in the medium share. It holds that while it waits for more in the
 * large share. No body waits in the opposite order, so two bodies never wait for each other. While others wait for the
 * memory it holds, it counts as slow, like a client that sends nothing. So it delays them only for a moment.
 */

/** A body up to this size needs no reservation. All connections together take 32 MiB for such bodies. */
export const FREE_BYTES = 16 * 1024;

/** Bodies up to this size have their own share, so that they never wait for larger ones. */
export const MEDIUM_BYTES_MAX = 1024 * 1024;

const MEDIUM_SHARE_BYTES = 32 * 1024 * 1024;

/** A body that is larger than this whole share takes all of it, and exceeds it. */
const LARGE_SHARE_BYTES = 64 * 1024 * 1024;

/** Bytes that a body with a reservation must receive in `Timeouts.contendedBody` seconds while others wait. */
const CONTENDED_BYTES_MIN = 32 * 1024;

/**
 * While others wait, a body must be complete within this part of `Timeouts.bodyMemory`. The rest allows for sweeps,
 * which may notice progress up to one interval late.
 */
const CONTENDED_PART = 0.85;

type BudgetTimes = Pick<Timeouts, "bodyMemory" | "contendedBody">;

type Clock = Pick<ReadingClock, "now">;

/** Divides memory among bodies that are being received or whose requests are being handled. */
export class BodyBudget {
  readonly #medium: Share;
  readonly #large: Share;

  constructor(times: BudgetTimes, clock: Clock) {
    this.#medium = new Share(MEDIUM_SHARE_BYTES, times, clock);
    this.#large = new Share(LARGE_SHARE_BYTES, times, clock);
  }

  /** Asks for memory. Within a share, bodies are granted memory in the order in which they ask. */
  reserve(bytes: number, sender: Sender): Reservation {
    return (bytes <= MEDIUM_BYTES_MAX ? this.#medium : this.#large).reserve(bytes, sender);
  }

  /** Ends reservations and waits that have taken too long. `now` is a time of the same clock. */
  sweep(now: number): void {
    this.#medium.sweep(now);
    this.#large.sweep(now);
  }

  /** Rejects every waiting body, now and from now on. */
  close(): void {
    this.#medium.close();
    this.#large.close();
  }
}

/** The memory for bodies of one range of sizes. */
class Share {
  readonly #quota: MemoryQuota;
  readonly #times: BudgetTimes;
  readonly #clock: Clock;
  readonly #holders = new Set<Reservation>();
  #waiting: Reservation[] = [];
  #closed = false;

  constructor(bytes: number, times: BudgetTimes, clock: Clock) {
    this.#quota = new MemoryQuota(bytes);
    this.#times = times;
    this.#clock = clock;
  }

  reserve(bytes: number, sender: Sender): Reservation {
    const { now } = this.#clock;
    const reservation: Reservation = new Reservation(bytes, sender, now, () => this.#released(reservation));
    this.#waiting.push(reservation);
    this.#grantAll();
    if (this.#closed) this.close();
    // Speed counts only while another body waits.
    if (this.#waiting.length === 1 && reservation.waits) {
      for (const holder of this.#holders) holder.watchFrom(now);
    }
    return reservation;
  }

  sweep(now: number): void {
    const late = this.#waiting.filter(({ askedAt }) => now - askedAt > this.#times.bodyMemory * 1000);
    this.#giveUpSlowest(now);
    this.#reject(late);
  }

  close(): void {
    this.#closed = true;
    this.#reject(this.#waiting);
  }

  /** Ends bodies that are too slow, the slowest first, but only as many as the first waiting body needs. */
  #giveUpSlowest(now: number): void {
    const first = this.#waiting[0];
    if (first === undefined) return;
    const { bodyMemory, contendedBody } = this.#times;
    const slow: { holder: Reservation; part: number }[] = [];
    let taken = 0;
    for (const holder of this.#holders) {
      if (holder.isGivenUp) continue;
      taken += holder.bytes;
      const proportional = holder.bytes * contendedBody / (CONTENDED_PART * bodyMemory);
      const part = holder.partBrought(now, contendedBody, Math.max(CONTENDED_BYTES_MIN, proportional));
      if (part < 1) slow.push({ holder, part });
    }
    slow.sort((a, b) => a.part - b.part);
    for (const { holder } of slow) {
      if (taken === 0 || this.#quota.fits(first.bytes, taken)) return;
      taken -= holder.bytes;
      holder.giveUp();
    }
  }

  #reject(reservations: readonly Reservation[]): void {
    this.#waiting = this.#waiting.filter((waiting) => !reservations.includes(waiting));
    for (const reservation of reservations) reservation.reject(new BodyQuotaExceeded());
    this.#grantAll();
  }

  #released(reservation: Reservation): void {
    if (this.#holders.delete(reservation)) this.#quota.release(reservation.bytes);
    else this.#waiting = this.#waiting.filter((waiting) => waiting !== reservation);
    this.#grantAll();
  }

  /** Grants memory in the order of requests. A small body does not overtake, or a large one might wait forever. */
  #grantAll(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#holders.size > 0 && !this.#quota.fits(first.bytes)) return;
      this.#waiting.shift();
      this.#holders.add(first);
      this.#quota.take(first.bytes);
      first.watchFrom(this.#clock.now);
      first.grant();
    }
  }
}
