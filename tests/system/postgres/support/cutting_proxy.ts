import { type Passage, TcpProxy } from "../../../support/tcp_proxy.ts";

/** The bytes of a connection that still get through once it is to be cut. */
export interface Cut {
  /** True when the last message of the client still reaches the server. */
  readonly lastArrives: boolean;
}

/** A proxy before a PostgreSQL that cuts connections at chosen moments. */
export class CuttingProxy extends TcpProxy {
  /** Cuts that were made. */
  cuts = 0;
  /** The cut for the next message of a client that contains a text. */
  #awaited: { readonly text: string; readonly cut: Cut } | undefined;

  /** Cuts the connection that sends the next message with this text. */
  cutAt(text: string, cut: Cut): void {
    this.#awaited = { text, cut };
  }

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    const cut = this.#cutFor(bytes);
    // From now on the client must not get the server's answer to the last message.
    if (cut !== undefined) passage.isCut = true;
    if (cut === undefined || cut.lastArrives) await super.forth(bytes, passage);
    if (cut === undefined) return;
    this.cuts++;
    await this.cut(passage);
  }

  #cutFor(bytes: Uint8Array): Cut | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined || !new TextDecoder("latin1").decode(bytes).includes(awaited.text)) {
      return undefined;
    }
    this.#awaited = undefined;
    return awaited.cut;
  }
}
