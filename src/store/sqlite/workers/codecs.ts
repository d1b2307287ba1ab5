import type { AnyCodec } from "../../../workers/call_codec.ts";
import type { RemoteOptions } from "../../../workers/remote_options.ts";
import { chunkCodec } from "./chunk_codec.ts";
import { groupCodec, writeInsideCodec } from "./group_codec.ts";
import { stepCodec, surelyCodec } from "./step_codec.ts";

/** The calls of the writer through shared memory. Unused memory is never allocated. */
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

/** The number of short reads that a reader is given at once, so that it never waits for the next one. */
export const READ_AHEAD_MAX = 64;

/**
 * The calls of a reader through shared memory. Lines that are longer than a call's share are moved in a message,
 * without a copy.
 */
export const READER_CALLS: RemoteOptions = {
  codecs: new Map([["chunk", chunkCodec]]),
  memoryBytes: READ_AHEAD_MAX * 128 * 1024,
  callsMax: READ_AHEAD_MAX,
};
