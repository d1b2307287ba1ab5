import assert from "node:assert/strict";
import {
  type Certificate,
  certificateIn,
  isFor,
} from "../../../../src/store/postgres/protocol/certificate.ts";
import { checkChain } from "../../../../src/store/postgres/protocol/chain.ts";

/*
 * Made with openssl: an authority, and the certificates that it has issued for 127.0.0.1 and for *.example.com.
 */

const AUTHORITY =
  "MIIBgTCCASegAwIBAgIUCaZWKyIMj3ltOqL53ch+u/tsVjAwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLQXV0aG9yaXR5IEEwHhcN" +
  "MjYxMTI0MTUxODUyWhcNMjYxMTI2MTUxODUyWjAWMRQwEgYDVQQDDAtBdXRob3JpdHkgQTBZMBMGByqGSM49AgEGCCqGSM49AwEH" +
  "A0IABLLFVb0pW7fG75OvxDM4ww2Xxc9NA3g6x1a866tRUIjbSNSUAvCHmqcK4NxEhkoDSgnT83AsYU9sFkblbNPqOmSjUzBRMB0G" +
  "A1UdDgQWBBS2t6tCT4zg7zeqBZF4P63MVA8scjAfBgNVHSMEGDAWgBS2t6tCT4zg7zeqBZF4P63MVA8scjAPBgNVHRMBAf8EBTAD" +
  "AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCh+Aed05X8upgdsMKIMleVU3eHeDSG2YB2CHExTl10OwIgBNECP/WeUWM3VqtSZN/vW6JB" +
  "LUemTbgU9V3QWDopeAA=";

const ADDRESS =
  "MIIBfDCCASKgAwIBAgIUMsTdPZ4OY3A8L8SVNuzw6K73AFcwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLQXV0aG9yaXR5IEEwHhcN" +
  "MjYxMTI0MTUxODUyWhcNMjYxMTI2MTUxODUyWjARMQ8wDQYDVQQDDAZzb3VyY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT1" +
  "QEpBI8/5HYgmvymeFva+CigRi/w5eff3c6SPqYm4u1VXavVkS9v9C2G/idtPE/URIMWGQaE+Xb3UFNZJFfW1o1MwUTAPBgNVHREE" +
  "CDAGhwR/AAABMB0GA1UdDgQWBBR/DHdeXitLSRCSt5Lfe7bF2tQxfTAfBgNVHSMEGDAWgBS2t6tCT4zg7zeqBZF4P63MVA8scjAK" +
  "BggqhkjOPQQDAgNIADBFAiEA1bnOpeYJWRq/VgdmjG78WYXe2k0fxPNGEtmr7fdhZ40CICwYu+V7zDtINcsH2ZJwosRxNO0e4nnr" +
  "WIGsdWPk2VfL";

const WILD =
  "MIIBjDCCATGgAwIBAgIUMsTdPZ4OY3A8L8SVNuzw6K73AGIwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLQXV0aG9yaXR5IEEwHhcN" +
  "MjYxMTI0MTUyODEwWhcNMjYxMTI2MTUyODEwWjAMMQowCAYDVQQDDAF4MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvRlNVbPt" +
  "+pklTLS+8eiU6/w/vZ9/d8H7vX999W1jcKEblX0dBLUk0Qg79ki4Z4GY3IB6kLZmrw1t05gPVuUIkKNnMGUwCQYDVR0TBAIwADAY" +
  "BgNVHREEETAPgg0qLmV4YW1wbGUuY29tMB0GA1UdDgQWBBR9YF0U0IBzXmFkxDN0d1XtRX4qXjAfBgNVHSMEGDAWgBS2t6tCT4zg" +
  "7zeqBZF4P63MVA8scjAKBggqhkjOPQQDAgNJADBGAiEA9KQgk/C3QuodevOsA1+q3E3ssW9nQb+bQ+Rf5/kYMYoCIQDNXIngAQmI" +
  "VY1fesc3XaL28kk2+01RCM1JGPiVySAn3g==";

function of(base64: string): Certificate {
  return certificateIn(Uint8Array.fromBase64(base64));
}

const NOW = of(ADDRESS).validFrom + 1000;

Deno.test("a certificate counts within its period, and for the names in it", async () => {
  const authorities = [of(AUTHORITY)];
  const certificate = of(ADDRESS);
  await checkChain([certificate], authorities, NOW);
  for (const time of [certificate.validFrom - 1, certificate.validUntil + 1]) {
    await assert.rejects(checkChain([certificate], authorities, time), /expired, or not valid yet/);
  }
  await assert.rejects(checkChain([certificate], [of(WILD)], NOW), /of no authority in sslrootcert/);
  await assert.rejects(checkChain([], authorities, NOW), /there is none/);
  assert.deepEqual(["127.0.0.1", "127.0.0.2", "::1"].map((host) => isFor(certificate, host)), [
    true,
    false,
    false,
  ]);
  const names = ["db.example.com", "DB.Example.com.", "a.db.example.com", "example.com", "*.example.com"];
  assert.deepEqual(names.map((name) => isFor(of(WILD), name)), [true, true, false, false, true]);
});

Deno.test("one changed bit of the signed part invalidates a certificate", async () => {
  const bytes = Uint8Array.fromBase64(ADDRESS);
  const { signed } = of(ADDRESS);
  const start = signed.byteOffset - of(ADDRESS).bytes.byteOffset;
  for (let i = start; i < start + signed.length; i++) {
    const changed = bytes.slice();
    changed[i]! ^= 1 << (i % 8);
    await assert.rejects(
      async () => await checkChain([certificateIn(changed)], [of(AUTHORITY)], NOW),
      `byte ${i}`,
    );
  }
});

Deno.test("bytes that are not a certificate are rejected, wherever they end", () => {
  const bytes = Uint8Array.fromBase64(ADDRESS);
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => certificateIn(bytes.slice(0, length)), `${length} bytes`);
  }
});
