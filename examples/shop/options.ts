import { parseArgs } from "node:util";

export interface Options {
  /** The URL of the store. */
  readonly url: string;
  /** The port of the page. */
  readonly port: number;
  /** The URL of a mail server. */
  readonly mail?: string | undefined;
  /** The directory of the shop's own files. */
  readonly data: string;
}

/** @throws an error that names the option at fault */
export function optionsFrom(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: "string", default: "8087" },
      mail: { type: "string" },
      data: { type: "string", default: "data/shop" },
    },
  });
  const [url = "http://127.0.0.1:8085", further] = positionals;
  if (further !== undefined) throw new TypeError(`after the URL there may only be options, not "${further}"`);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new RangeError(`--port must be 0 to 65535, not "${values.port}"`);
  }
  return { url, port, mail: values.mail, data: values.data };
}
