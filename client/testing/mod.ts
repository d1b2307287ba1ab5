/**
 * Tests without a server: a store in memory, a clock, and given, when, then.
 *
 * @module
 */

export type { Limits } from "./checks.ts";
export { memoryStore, type MemoryStoreOptions } from "./memory_store.ts";
export { TestClock } from "./test_clock.ts";
export { type EventHandler, type Expected, type Given, given, type When } from "./scenario.ts";
