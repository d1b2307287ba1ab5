import type { CallCodec } from "../../../workers/call_codec.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";

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
