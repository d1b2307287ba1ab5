import type { TomlTable, TomlValue } from "../../src/config/toml.ts";

/** Converts tables to plain objects, without positions. */
export function plain(value: TomlValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value as TomlTable].map(([name, key]) => [name, plain(key.value)]));
}
