import type { Event, EventStore, InMemoryReadEventMetadata, ReadEvent } from "@event-driven-io/emmett";

/** An event store whose streams have positions of type bigint. */
export type RuledStore = EventStore<InMemoryReadEventMetadata>;

/** Options that every store has. */
export interface RuledOptions {
  readonly hooks?: {
    readonly onAfterCommit: (events: ReadEvent<Event, InMemoryReadEventMetadata>[]) => void | Promise<void>;
  };
}

export type MakeStore = (options?: RuledOptions) => RuledStore;

export type CartEvent = ItemAdded | DiscountApplied;
export type ItemAdded = Event<"ProductItemAdded", { sku: string; quantity: number }>;
type DiscountApplied = Event<"DiscountApplied", { percent: number }>;

export const added = (quantity: number): ItemAdded => ({
  type: "ProductItemAdded",
  data: { sku: "tea", quantity },
});
export const items = {
  evolve: (sum: number, { type, data }: CartEvent) => type === "ProductItemAdded" ? sum + data.quantity : sum,
  initialState: () => 0,
};

export const newStream = (): string => `cart-${crypto.randomUUID()}`;

export const quantities = (events: readonly ItemAdded[]): number[] => events.map(({ data }) => data.quantity);

/** Checks a rule on the stores that a function makes. */
export type Rule = (make: MakeStore) => Promise<void>;

/** 1, 2, 3, ... */
export function ascending(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
