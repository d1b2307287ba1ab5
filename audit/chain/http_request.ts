import { joinBytes } from "../../tests/support/bytes.ts";

const HEAD_END = "\r\n\r\n";

/**
 * Reads one request, and changes its head so that the server closes the connection after its answer.
 * @throws Error when the client disconnects before it has sent everything
 */
export async function readHttpRequest(conn: Deno.Conn): Promise<Uint8Array> {
  const buffer = new Uint8Array(64 * 1024);
  let bytes: Uint8Array = new Uint8Array(0);
  const more = async (): Promise<void> => {
    const count = await conn.read(buffer);
    if (count === null) throw new Error("the client has left");
    bytes = joinBytes([bytes, buffer.slice(0, count)]);
  };
  let end = -1;
  let head = "";
  while (end < 0) {
    await more();
    head = new TextDecoder("latin1").decode(bytes);
    end = head.indexOf(HEAD_END);
  }
  head = head.slice(0, end);
  const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
  const bodyAt = end + HEAD_END.length;
  while (bytes.length < bodyAt + length) await more();
  const kept = head.split("\r\n").filter((line) => !/^connection:/i.test(line));
  const closing = [...kept, "connection: close"].join("\r\n") + HEAD_END;
  return joinBytes([new TextEncoder().encode(closing), bytes.subarray(bodyAt, bodyAt + length)]);
}
