import type { ServerProcess } from "../../tests/support/server_process.ts";
import { AuditFailure } from "../report.ts";

/**
 * Waits until a server has started or has ended.
 * @returns true when the server listens, false when it has ended
 * @throws AuditFailure when it does neither
 */
export async function isListening(server: ServerProcess, where: string, seconds: number): Promise<boolean> {
  try {
    await server.waitForOutput((text) => /listening on/.test(text), seconds);
    return true;
  } catch (error) {
    if (!/not printed in/.test((error as Error).message)) return false;
    throw new AuditFailure(where, [`it neither starts nor ends within ${seconds} s`]);
  }
}
