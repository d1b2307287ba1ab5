import type { AnyCodec } from "../../../workers/call_codec.ts";
import type { RemoteOptions } from "../../../workers/remote_worker.ts";
import { chunkCodec, chunksCodec } from "./chunk_codec.ts";
import { groupCodec, writeInsideCodec } from "./group_codec.ts";
import { stepCodec, surelyCodec } from "./step_codec.ts";

/** What goes to the writer and to readers through shared memory. Memory that is never used is not taken. */
export const WRITER_CALLS: RemoteOptions = {
  codecs: new Map<string, AnyCodec>([
    ["group", groupCodec],
    ["begin", stepCodec],
    ["readChunkInside", chunkCodec],
    ["writeInside", writeInsideCodec],
    ["commit", stepCodec],
    ["rollback", surelyCodec],
  ]),
  memoryBytes: 1024 * 1024,
};

/** Longer lines are moved in a message, which copies nothing. */
export const READER_CALLS: RemoteOptions = {
  codecs: new Map([["chunks", chunksCodec]]),
  memoryBytes: 128 * 1024,
};
