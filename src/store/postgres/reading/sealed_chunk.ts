import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { MasterKeys } from "../../core/sealing/master_keys.ts";
import { type KeysById, SealedLines } from "../../core/sealing/sealed_lines.ts";
import type { Session } from "../protocol/session.ts";
import { keysById, readKeys } from "../tables/subjects.ts";

/**
 * Decrypts the payloads of a chunk in a store with subjects, unless the request wants them as they are stored.
 * @param keysOf returns the keys with some IDs, without those that are gone
 */
export async function openedChunk(
  chunk: Chunk,
  { stored = false }: ChunkRequest,
  keysOf: (ids: readonly string[]) => Promise<KeysById>,
): Promise<Chunk> {
  if (stored) return chunk;
  const sealed = new SealedLines(chunk.lines);
  const { keyIds } = sealed;
  return keyIds.length === 0 ? chunk : { ...chunk, lines: sealed.opened(await keysOf(keyIds)) };
}

/** Reads keys in the transaction of a session. */
export async function keysOn(
  session: Pick<Session, "run">,
  ids: readonly string[],
  masters: MasterKeys,
): Promise<KeysById> {
  const [rows] = await session.run([readKeys(ids)]);
  return keysById(rows!, masters);
}
