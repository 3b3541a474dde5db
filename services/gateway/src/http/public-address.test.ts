import { expect, test } from "@jest/globals";
import { publicAddress } from "./public-address.js";

test.each([
  [{ host: "localhost:8080" }, { host: "localhost", port: 8080, tls: false }],
  [{ host: "[::1]:8080" }, { host: "[::1]", port: 8080, tls: false }],
  [{ host: "monitor.example" }, { host: "monitor.example", port: 80, tls: false }],
  [
    { host: "monitor.example", "x-forwarded-proto": "https" },
    { host: "monitor.example", port: 443, tls: true },
  ],
  [
    { host: "monitor.example:8443", "x-forwarded-proto": "https, http" },
    { host: "monitor.example", port: 8443, tls: true },
  ],
  [{}, { host: "localhost", port: 1234, tls: false }],
  [{ host: "a b" }, { host: "localhost", port: 1234, tls: false }],
])("%j", (headers, expected) => {
  expect(publicAddress(headers, 1234)).toEqual(expected);
});
