/** Returns the certificates of a file in PEM. @throws Error that names the file, when there are none or it cannot be read */
export function readCertificates(path: string): string {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${(error as Error).message}`);
  }
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new Error(`${path}: there is no certificate in it; it must be PEM`);
}
