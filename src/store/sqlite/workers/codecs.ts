import type { AnyCodec, CallCodec, RemoteOptions } from "../../../workers/call_codec.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { done, type Outcome } from "../../api/outcome.ts";
import { groupCodec, writeInsideCodec } from "./group_codec.ts";

/** The codec for a request for a chunk, and for the chunk. */
export const chunkCodec: CallCodec<[request: ChunkRequest], Chunk> = {
  writeArgs(to, request) {
    to.number(request.limit);
    to.text(JSON.stringify(request));
    return true;
  },
  readArgs(from) {
    // JSON does not know Infinity.
    const limit = from.number();
    return [{ ...JSON.parse(from.text()), limit }];
  },
  writeValue(to, { lines, ...rest }) {
    to.text(JSON.stringify(rest));
    to.bytes(lines);
    return true;
  },
  readValue(from) {
    return { ...JSON.parse(from.text()), lines: from.bytes() };
  },
};

/** The codec for a step of a transaction that needs no arguments and returns nothing. */
export const stepCodec: CallCodec<[], Outcome<void>> = {
  writeArgs: () => true,
  readArgs: () => [],
  writeValue: (_, outcome) => outcome.kind === "done",
  readValue: () => done(undefined),
};

/** The same for a step that cannot fail. */
const surelyCodec: CallCodec<[], void> = {
  writeArgs: () => true,
  readArgs: () => [],
  writeValue: () => true,
  readValue: () => {},
};

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
