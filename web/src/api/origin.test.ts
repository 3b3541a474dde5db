import { expect, test } from "@jest/globals";
import { originOf, socketAddress } from "./origin.js";

const page = (address: string) => new URL(address);

test.each([
  [
    "the page's own host",
    { host: "wt.example", port: 443, tls: true },
    "https://wt.example/objects/1",
    "https://wt.example",
  ],
  [
    "loopback under another name",
    { host: "127.0.0.1", port: 8080, tls: false },
    "http://localhost:8080/",
    "http://localhost:8080",
  ],
  ["another port", { host: "127.0.0.1", port: 8080, tls: false }, "http://localhost:5173/", "http://127.0.0.1:8080"],
  ["another host", { host: "api.example", port: 443, tls: true }, "https://wt.example/", "https://api.example"],
  [
    "tls elsewhere only",
    { host: "wt.example", port: 8443, tls: true },
    "http://wt.example:8443/",
    "https://wt.example:8443",
  ],
])("%s", (_, config, address, origin) => expect(originOf(config, page(address))).toBe(origin));

test("a websocket is as secure as its origin", () => {
  expect(socketAddress("http://127.0.0.1:8080", "/ws")).toBe("ws://127.0.0.1:8080/ws");
  expect(socketAddress("https://wt.example", "/ws/console")).toBe("wss://wt.example/ws/console");
});
