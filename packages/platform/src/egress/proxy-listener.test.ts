import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, jest, test } from "@jest/globals";
import { openListener, type ProxyListener, type Ways } from "./proxy-listener.js";

/** Listeners that a test has opened; they are closed after it. */
const listeners: ProxyListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((proxyListener) => proxyListener.close())));

/** The header that authenticates at a proxy listener. */
const passwordOf = ({ credentials: { username, password } }: ProxyListener) =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString("base64")}\r\n`;

async function listenerWith(enter: () => Promise<() => void>): Promise<ProxyListener> {
  const asked = jest.fn(() => Promise.reject(new Error("nothing is to be asked for")));
  // no request of these tests reaches the network
  const nowhere = { names: null, egress: { request: asked }, connectTunnel: asked, connectConsentedTunnel: asked };
  const { proxyListener, server } = openListener(nowhere as unknown as Ways, () => undefined);
  listeners.push(proxyListener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxyListener.open({ consent: null, maxBytes: 1_000, onOverBudget: () => undefined, enter });
  return proxyListener;
}

test.each([
  ["a request", "GET http://site.example/ HTTP/1.1\r\nHost: site.example\r\n\r\n"],
  ["a tunnel", "CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n"],
])("%s that is given up while it waits for its turn gives the turn back", async (_name, head) => {
  const leave = jest.fn();
  let admit = () => {};
  let waits = () => {};
  const isWaiting = new Promise<void>((resolve) => (waits = resolve));
  const proxyListener = await listenerWith(async () => {
    waits();
    await new Promise<void>((resolve) => (admit = resolve));
    return leave;
  });
  const client = connect(proxyListener.port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write(head.replace("\r\n", `\r\n${passwordOf(proxyListener)}`));
  await isWaiting;
  client.resetAndDestroy();
  await once(client, "close");
  // the other end notices it a moment later
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(leave).not.toHaveBeenCalled();
  admit();
  for (let looks = 0; looks < 200 && leave.mock.calls.length === 0; looks++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  expect(leave).toHaveBeenCalledTimes(1);
});

test.each([
  ["a request", "GET http://site.example/ HTTP/1.1\r\nHost: site.example\r\n"],
  ["a tunnel", "CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n"],
])("%s without the password of this very proxyListener is answered 407 and goes no further", async (_name, head) => {
  const enter = jest.fn(() => Promise.reject(new Error("no turn")));
  const [proxyListener, other] = [await listenerWith(enter), await listenerWith(enter)];
  const answerTo = async (headers: string) => {
    const client = connect(proxyListener.port, "127.0.0.1");
    client.on("error", () => undefined);
    client.write(`${head}${headers}Connection: close\r\n\r\n`);
    let said = "";
    client.setEncoding("latin1").on("data", (text: string) => (said += text));
    await once(client, "close");
    return said.split("\r\n", 1)[0];
  };
  const wrong = [
    "",
    passwordOf(other),
    passwordOf(proxyListener).replace("Basic ", "Basic A"),
    "Proxy-Authorization: Basic\r\n",
  ];
  for (const headers of wrong) expect(await answerTo(headers)).toBe("HTTP/1.1 407 Proxy Authentication Required");
  expect(enter).not.toHaveBeenCalled();
  // with the right password the request waits for its turn
  expect(await answerTo(passwordOf(proxyListener))).not.toContain("407");
  expect(enter).toHaveBeenCalledTimes(1);
});
