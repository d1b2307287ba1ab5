import type { Conflicts } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { Operation } from "./operation.ts";
import type { Schema } from "./schema.ts";

/** What an edition's document is made of, besides what all of them share. */
export interface EditionInterface {
  readonly name: "A" | "B" | "C";
  readonly summary: string;
  /** The words that stand for a query. */
  readonly literals: readonly string[];
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly conflicts: Conflicts;
  readonly exchanges: readonly Exchange[];
}
