import type { RemoteOptions } from "../../../workers/remote_worker.ts";
import { chunkCodec } from "./chunk_codec.ts";
import { groupCodec } from "./group_codec.ts";

/** What goes to the writer and to readers through shared memory. Memory that is never used is not taken. */
export const WRITER_CALLS: RemoteOptions = {
  codecs: new Map([["group", groupCodec]]),
  memoryBytes: 1024 * 1024,
};

/** Longer lines are moved in a message, which copies nothing. */
export const READER_CALLS: RemoteOptions = {
  codecs: new Map([["chunk", chunkCodec]]),
  memoryBytes: 32 * 1024,
};
