import type { Flag } from "./program.ts";

/* Flags that several verbs of the client for shells have. */

export const json = (help: string): { readonly name: "json"; readonly help: string } => ({
  name: "json",
  help,
});

export const help = { name: "help", help: "print this text and exit; so does -h" } as const satisfies Flag;

/**
 * The flags that give the server's address and token. The token itself is no flag, since other users can see the flags
 * of a process.
 */
export const server = [
  { name: "url", value: "url", help: "server to speak to, http:// or https://" },
  { name: "socket", value: "path", help: "unix socket of the server, instead of --url" },
  { name: "token-file", value: "path", help: "file that holds the bearer token and nothing else" },
  { name: "ca-file", value: "path", help: "certificates (PEM) of the authority of an https:// server" },
  help,
] as const satisfies readonly Flag[];
