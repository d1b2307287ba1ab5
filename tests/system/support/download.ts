/**
 * A handler for `catch` after a download. When the download failed, the error says so in one line, and what to do
 * about it. Any other error stays as it is.
 */
export function explainDownload(what: string): (error: unknown) => never {
  return (error) => {
    const text = error instanceof Error ? error.message : String(error);
    if (text.includes("invalid peer certificate")) {
      throw new Error(
        `this test downloads ${what}, from a server whose certificate is not trusted here: ` +
          "name its authority with DENO_TLS_CA_STORE=system or DENO_CERT",
      );
    }
    const unreachable = /error sending request for url \(([^)]*)\)/.exec(text)?.[1];
    if (unreachable === undefined) throw error;
    throw new Error(`this test downloads ${what}, but cannot reach ${unreachable}`);
  };
}
