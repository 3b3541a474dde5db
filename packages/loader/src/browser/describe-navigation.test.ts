import { expect, test } from "@jest/globals";
import { describeNavigation } from "./describe-navigation.js";

test.each([
  ["ERR_CERT_AUTHORITY_INVALID", /invalid TLS certificate.*\(CERT_AUTHORITY_INVALID\)\.$/],
  ["ERR_SSL_SERVER_CERT_BAD_FORMAT", /invalid TLS certificate/],
  // what a server that speaks HTTP/2 only answers to a browser that does not
  ["ERR_SSL_PROTOCOL_ERROR", /no secure connection.*by HTTP\/1\.1/],
  ["ERR_SSL_VERSION_OR_CIPHER_MISMATCH", /no secure connection.*TLS 1\.2 or 1\.3/],
  ["ERR_SSL_CLIENT_AUTH_CERT_NEEDED", /asks its visitors for a TLS certificate/],
])("%s is described by what is at fault", (netError, words) => {
  const error = describeNavigation(netError, "site.test", null);
  expect(error).toMatchObject({ code: "tls_failed", message: expect.stringMatching(words) });
});
