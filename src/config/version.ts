/** Version of the programs, as `--version` and `GET /health` report it. */
export const VERSION = "0.1.0";
