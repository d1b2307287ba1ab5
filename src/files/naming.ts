/** Runs work that writes a file. @throws Error that names the file that could not be written */
export function naming<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw new Error(`${path} cannot be written: ${(error as Error).message}`);
  }
}
