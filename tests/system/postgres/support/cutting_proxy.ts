import { type Passage, TcpProxy } from "../../../support/tcp_proxy.ts";

/** What of a connection still gets through, once it is to be cut. */
export interface Cut {
  /** Whether what the client sent last still arrives. */
  readonly lastArrives: boolean;
}

/** Stands before a PostgreSQL and cuts connections at chosen moments. */
export class CuttingProxy extends TcpProxy {
  /** Cuts that were made. */
  cuts = 0;
  /** The cut that awaits the next message from a client that contains a text. */
  #awaited: { readonly text: string; readonly cut: Cut } | undefined;

  /** Cuts the connection of which the next message with this text comes. */
  cutAt(text: string, cut: Cut): void {
    this.#awaited = { text, cut };
  }

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    const cut = this.#cutFor(bytes);
    // From now on the client must not hear what the server makes of the last message.
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
