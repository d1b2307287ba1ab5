/** Bytes per call of the worker. A server that stops waits for one. */
const SLICE_BYTES = 1 << 24;

/** Bytes per read of the disk. Smaller ones take longer in total. Larger ones delay the requests of that time. */
const BLOCK_BYTES = 1 << 20;

/**
 * Preload reads the database file once, from its end, so that the system has it in its page cache. It lives in a
 * worker. It reads synchronously: asynchronous operations of Deno duplicate a file's descriptor and close the
 * duplicate. When a process closes any descriptor of a file, the system drops all locks of the process on that file,
 * those of SQLite too.
 */
export class Preload {
  readonly #file: Deno.FsFile;
  readonly #buffer = new Uint8Array(BLOCK_BYTES);
  readonly #first: number;
  #end: number;

  /**
   * @param path the database, which must be there
   * @param bytesMax how much to read at most; never more than half of the available memory
   */
  static open(path: string, bytesMax: number): Preload {
    return new Preload(path, Math.min(bytesMax, Deno.systemMemoryInfo().available / 2));
  }

  private constructor(path: string, bytesMax: number) {
    this.#end = Deno.statSync(path).size;
    this.#first = Math.max(0, this.#end - bytesMax);
    this.#file = Deno.openSync(path);
  }

  /** Reads one slice. Returns whether more is to be read. */
  slice(): boolean {
    const first = Math.max(this.#first, this.#end - SLICE_BYTES);
    for (; this.#end > first; this.#end -= BLOCK_BYTES) {
      this.#file.seekSync(Math.max(0, this.#end - BLOCK_BYTES), Deno.SeekMode.Start);
      this.#file.readSync(this.#buffer);
    }
    return this.#end > this.#first;
  }

  /** Closes the file. Every connection of SQLite must be closed before. */
  close(): void {
    this.#file.close();
  }
}
