import { type Passage, TcpProxy } from "../../support/tcp_proxy.ts";

/** A proxy that withholds the answers of the server until it is released. */
export class WithholdingProxy extends TcpProxy {
  readonly #released = Promise.withResolvers<void>();

  release(): void {
    this.#released.resolve();
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    await this.#released.promise;
    await super.back(bytes, passage);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await super[Symbol.asyncDispose]();
  }
}
