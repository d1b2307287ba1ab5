import type { Conflicts } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { Operation } from "./operation.ts";
import type { Schema } from "./schema.ts";

/** The parts of an edition's document that differ between editions. */
export interface EditionInterface {
  readonly name: "A" | "B" | "C";
  /** The name of its folder in src/editions/. */
  readonly folder: string;
  readonly summary: string;
  /** The words that stand for a query. */
  readonly literals: readonly string[];
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly conflicts: Conflicts;
  readonly exchanges: readonly Exchange[];
}
