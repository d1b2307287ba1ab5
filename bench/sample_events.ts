import type { NewEvent } from "../src/model/event.ts";

const TYPES = ["OrderPlaced", "OrderPaid", "OrderPacked", "OrderShipped", "OrderReturned"] as const;
/** 256 bytes. */
export const PAYLOAD: string = JSON.stringify({ amount: 4200, currency: "EUR", note: "x".repeat(213) });

/** How often a term occurs in a store of the size that the sample was made for. */
const EVENTS_PER_ORDER = 2;
const EVENTS_PER_TYPE_AND_CUSTOMER = 80;
const EVENTS_PER_ARTICLE = 10;

/**
 * Draws events with a type and four random tags: three identifiers that recur and one metadata entry that does not.
 * The same seed gives the same events, so that runs can be compared.
 */
export class SampleEvents {
  readonly #orders: number;
  readonly #customers: number;
  readonly #articles: number;
  #state: number;

  /** @param storeEvents the size of the store that the events go to */
  constructor(storeEvents: number, seed: number) {
    this.#orders = Math.ceil(storeEvents / EVENTS_PER_ORDER);
    this.#customers = Math.ceil(storeEvents / EVENTS_PER_TYPE_AND_CUSTOMER / TYPES.length);
    this.#articles = Math.ceil(storeEvents / EVENTS_PER_ARTICLE);
    this.#state = seed;
  }

  event(): NewEvent {
    return {
      type: this.type(),
      identifiers: [
        { name: "article", value: this.article() },
        { name: "customer", value: this.customer() },
        { name: "order", value: this.order() },
      ],
      metadata: [{ name: "request", value: `${this.#next().toString(36)}-${this.#next().toString(36)}` }],
      payload: PAYLOAD,
    };
  }

  events(count: number): NewEvent[] {
    return Array.from({ length: count }, () => this.event());
  }

  type(): string {
    return TYPES[this.#below(TYPES.length)]!;
  }

  article(): string {
    return `article-${this.#below(this.#articles)}`;
  }

  customer(): string {
    return `customer-${this.#below(this.#customers)}`;
  }

  order(): string {
    return `order-${this.#below(this.#orders)}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#next() / 2 ** 32 * limit);
  }

  /** A linear congruential generator; its high bits are random enough for this. */
  #next(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state;
  }
}
