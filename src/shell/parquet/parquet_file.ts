import { parquetMetadata, type SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { VERSION } from "../../config/version.ts";
import type { Column } from "./event_columns.ts";

/* Files in the format Apache Parquet. Only this file knows the library. */

/** The key of the store's ID in the metadata of a file. */
const STORE_KEY = "eventstore.storeId";

const TYPES: Readonly<Record<Column["type"], Omit<SchemaElement, "name">>> = {
  integer: { type: "INT64" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
};

/** Returns the bytes of a file, whose rows form one group. */
export function parquetBytes(columns: readonly Column[], storeId: string): Uint8Array {
  const bytes = new ByteWriter();
  const kvMetadata = [{ key: STORE_KEY, value: storeId }];
  const createdBy = `eventstore-client version ${VERSION}`;
  const writer = new ParquetWriter({
    writer: bytes,
    // The library would parse JSON and write it anew, other than it was: numbers would lose digits.
    schema: schemaOf(columns.map((column) => column.type === "json" ? { ...column, type: "text" } : column)),
    kvMetadata,
    createdBy,
  });
  writer.write({
    columnData: columns.map(({ name, type, cells }) => ({
      name,
      data: cells as unknown[],
      // A prefix of JSON, as the statistics of a text have it, is no JSON.
      statistics: type !== "json",
    })),
    rowGroupSize: columns[0]!.cells.length,
  });
  writer.schema = schemaOf(columns);
  writer.finish();
  return bytes.getBytes();
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: "events", num_children: columns.length },
    ...columns.map(({ name, type }): SchemaElement => ({
      name,
      repetition_type: "OPTIONAL",
      ...TYPES[type],
    })),
  ];
}

/**
 * Returns the store's ID from the metadata of a file.
 * @throws Error when the bytes are no such file
 */
export function storeIdIn(bytes: Uint8Array): string {
  // The bytes may be a part of their buffer.
  const { key_value_metadata = [] } = parquetMetadata(new Uint8Array(bytes).buffer);
  const found = key_value_metadata.find(({ key }) => key === STORE_KEY)?.value;
  if (found === undefined) throw new Error(`its metadata has no ${STORE_KEY}`);
  return found;
}
