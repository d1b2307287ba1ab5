import { ClientDisconnected } from "../../model/errors.ts";
import { BodyQuotaExceeded } from "../exchange.ts";
import type { ReadingClock } from "../../time/reading_clock.ts";
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

/** The client that sends a body. */
interface Sender {
  /** Returns the number of bytes that it has sent so far. */
  readonly received: () => number;
  /** Called when others need the memory more. */
  readonly giveUp: () => void;
}

export type BudgetTimes = Pick<Timeouts, "bodyMemory" | "contendedBody">;

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

/** The memory of one body, waiting for it or holding it. */
export class Reservation {
  readonly bytes: number;
  readonly askedAt: number;
  readonly #sender: Sender;
  readonly #granted = Promise.withResolvers<void>();
  readonly #onRelease: () => void;
  #state: "waiting" | "receiving" | "givenUp" | "complete" | "over" = "waiting";
  /** When the body last made enough progress, or others began to wait, and the bytes received until then. */
  #enough = { at: 0, received: 0 };

  constructor(bytes: number, sender: Sender, now: number, onRelease: () => void) {
    this.bytes = bytes;
    this.#sender = sender;
    this.askedAt = now;
    this.#onRelease = onRelease;
    // The caller may no longer await it.
    this.#granted.promise.catch(() => {});
  }

  /** Resolves when the body may be read. Rejects with BodyQuotaExceeded, or with the reason of its release. */
  get granted(): Promise<void> {
    return this.#granted.promise;
  }

  get waits(): boolean {
    return this.#state === "waiting";
  }

  /** The body is complete: its client is no longer at fault for any delay. */
  complete(): void {
    if (this.#state === "receiving") this.#state = "complete";
  }

  /** Releases the memory, or stops waiting for it. */
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

  /** Starts to measure progress at this moment. */
  watchFrom(now: number): void {
    this.#enough = { at: now, received: this.#sender.received() };
  }

  /**
   * Returns the bytes received in the last so many seconds, as a fraction of the required bytes.
   * @returns Infinity while it is too early to measure, or when the client is not at fault
   */
  partBrought(now: number, seconds: number, bytesRequired: number): number {
    if (this.#state !== "receiving") return Infinity;
    const brought = this.#sender.received() - this.#enough.received;
    if (brought >= bytesRequired) this.watchFrom(now);
    return now - this.#enough.at > seconds * 1000 ? brought / bytesRequired : Infinity;
  }

  /** True when the body has been cancelled, so that its memory is released soon. */
  get isGivenUp(): boolean {
    return this.#state === "givenUp";
  }

  giveUp(): void {
    this.#state = "givenUp";
    this.#sender.giveUp();
  }
}

/** The memory for bodies of one range of sizes. */
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

  /** Ends bodies that are too slow, the slowest first, but only as many as the first waiting body needs. */
  #giveUpSlowest(now: number): void {
    const first = this.#waiting[0];
    if (first === undefined) return;
    const { bodyMemory, contendedBody } = this.#times;
    const slow: { holder: Reservation; part: number }[] = [];
    let holders = 0;
    let taken = 0;
    for (const holder of this.#holders) {
      if (holder.isGivenUp) continue;
      holders++;
      taken += holder.bytes;
      const proportional = holder.bytes * contendedBody / (CONTENDED_PART * bodyMemory);
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

  /** True when the share has memory for one more reservation in addition to so many holders. */
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

  /** Grants memory in the order of requests. A small body does not overtake, or a large one might wait forever. */
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
