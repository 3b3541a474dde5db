import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parseSmtpUrl } from "@web-tester/platform/config/smtp-url";
import { createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { createNames } from "@web-tester/platform/egress/names";
import { createSocketOpener } from "@web-tester/platform/egress/open-socket";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { type Mail, sendMail } from "./send-mail.js";
import { sendPost } from "./send-post.js";

const policyWith = (allow: string[], own: "own-host" | "deny" = "deny") =>
  createAddressPolicy({ private: own, allow, ownAddresses: () => [], localAddresses: [] });
const names = createNames();
const going = new AbortController().signal;

describe("requests", () => {
  let answer: (response: ServerResponse, path: string) => void = () => undefined;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    answer(response, request.url ?? "");
  });
  const egress = createEgress(policyWith(["127.0.0.1"]), { names });
  const strict = createEgress(policyWith([]), { names });
  let base = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => void asked.splice(0));
  afterAll(async () => {
    await Promise.all([egress.close(), strict.close()]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const post = (path: string, through = egress, headers = {}) =>
    sendPost(through, { url: new URL(base + path), body: "{}", headers }, going);

  test("a private address is refused until it is allowed, and nothing is asked of it", async () => {
    answer = (response) => response.end();
    const words =
      "The address 127.0.0.1 was refused: it is a loopback address (127.0.0.0/8). Start the product with 127.0.0.1 in EGRESS_ALLOW, and what waits is sent; or enter another address.";
    expect(await post("/a", strict)).toEqual({ ok: false, status: null, answer: words });
    expect(asked).toEqual([]);
    expect(await post("/a")).toMatchObject({ ok: true });
    expect(asked).toEqual(["/a"]);
  });

  test("what a server says back of the address and the token is left out", async () => {
    answer = (response, path) => response.writeHead(404).end(`Cannot POST ${path} for T0ken-value`);
    const sent = await post("/services/T0/B0/verysecret?key=alsosecret", egress, {
      authorization: "Bearer T0ken-value",
    });
    expect(sent).toMatchObject({ ok: false, status: 404, answer: "Cannot POST … for …" });
    expect(sent.never ?? false).toBe(false);
  });

  test.each([301, 302, 308])("a redirect by %i is not followed, and tried again", async (status) => {
    answer = (response) => void response.writeHead(status, { location: "/elsewhere" }).end();
    const sent = await post("/a");
    expect(sent).toMatchObject({ ok: false, status, answer: expect.stringContaining("redirects") });
    expect(sent.never ?? false).toBe(false);
    expect(asked).toEqual(["/a"]);
  });

  test.each([
    [300, "choose one", "choose one"],
    [300, "", /^It answers that it has something else .* Enter the address that takes messages\.$/],
    [304, "", /^It answers that it has something else/],
  ] as const)("%i with the words “%s” is no redirect, and tried again", async (status, body, words) => {
    answer = (response) => void response.writeHead(status).end(body);
    const sent = await post("/a");
    expect(sent).toEqual({ ok: false, status, answer: expect.stringMatching(words) });
  });

  test("an older channel's address with a password is named as the reason, with what to do about it", async () => {
    answer = (response) => response.end();
    const url = new URL(base.replace("//", "//me:secret@"));
    const sent = await sendPost(egress, { url, body: "{}", headers: {} }, going);
    expect(sent).toEqual({
      ok: false,
      status: null,
      answer: expect.stringMatching(
        /^The channel's address contains a user name or password.* Enter the address without/,
      ),
    });
    expect(sent.answer).not.toMatch(/Options|secret/);
    expect(asked).toEqual([]);
    expect(await post("/")).toMatchObject({ ok: true });
  });

  test("the status decides where the rest does not come", async () => {
    answer = (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("ok");
      setTimeout(() => response.destroy(), 50);
    };
    expect(await post("/a")).toMatchObject({ ok: true, status: 200 });
  });

  test.each([
    ["a header of seconds", { "retry-after": "7" }, "slow down", 7_000],
    ["a header of a fraction", { "retry-after": "0.5" }, "", 500],
    ["Discord", {}, '{"message": "You are being rate limited.", "retry_after": 1.25, "global": false}', 1_250],
    ["Telegram", {}, '{"ok": false, "error_code": 429, "parameters": {"retry_after": 31}}', 31_000],
    ["nobody", {}, '{"retry_after": "soon"}', undefined],
  ])("how long to wait is said by %s", async (_, headers, body, waitMs) => {
    answer = (response) => void response.writeHead(429, headers).end(body);
    expect((await post("/a")).waitMs).toBe(waitMs);
  });

  test("of a long answer the beginning is read", async () => {
    answer = (response) => void response.writeHead(500).end("x".repeat(10_000_000));
    const sent = await post("/a");
    expect(sent).toMatchObject({ ok: false, status: 500 });
    expect(sent.answer).toHaveLength(500);
  });

  test.each([
    ["30", 30_000, 30_000],
    [new Date(Date.now() + 60_000).toUTCString(), 50_000, 61_000],
    ["999999999", 86_400_000, 86_400_000],
  ])("Retry-After: %s is obeyed", async (value, least, most) => {
    answer = (response) => void response.writeHead(429, { "retry-after": value }).end();
    const { waitMs = 0 } = await post("/a");
    expect(waitMs).toBeGreaterThanOrEqual(least);
    expect(waitMs).toBeLessThanOrEqual(most);
  });

  test("one that is ended meanwhile is tried again", async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const sending = sendPost(egress, { url: new URL(`${base}/a`), body: "{}", headers: {} }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    const sent = await sending;
    expect(sent.ok).toBe(false);
    expect(sent.never ?? false).toBe(false);
  });
});

describe("mails", () => {
  const got: string[] = [];
  const servers: SMTPServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))));
  const mail: Mail = {
    to: ["anna@example.org", "nobody@example.org"],
    subject: "A subject\r\nBcc: all@evil.test",
    text: "Words",
    html: "<p>Words</p>",
    pictures: [],
    id: "0198f7d2-0000-7000-8000-000000000001",
  };
  const start = async (options: ConstructorParameters<typeof SMTPServer>[0]) => {
    const server = new SMTPServer({
      onData: (stream, _, done) => {
        let text = "";
        stream.on("data", (part: Buffer) => (text += part.toString("utf8")));
        stream.on("end", () => {
          got.push(text);
          done();
        });
      },
      ...options,
    });
    servers.push(server);
    server.on("error", () => undefined);
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return (server.server.address() as AddressInfo).port;
  };
  const open = createSocketOpener(policyWith(["127.0.0.1"]), names);
  const serverAt = (url: string) => ({ ...parseSmtpUrl(url), from: "Tester <tester@example.org>" });
  const send = (url: string, of = open) => sendMail(of, serverAt(url), mail, going);
  const failing = (responseCode: number, words = "no") => Object.assign(new Error(words), { responseCode });

  test("no line of a subject becomes a header, and its id is the message's", async () => {
    const port = await start({ disabledCommands: ["AUTH", "STARTTLS"] });
    expect(await send(`smtp://127.0.0.1:${port}?security=none`)).toMatchObject({ ok: true, status: 250 });
    const [text = ""] = got.splice(0);
    expect(text).not.toMatch(/^Bcc:/im);
    expect(text).toContain(`Message-ID: <${mail.id}@example.org>`);
  });

  test("a server without STARTTLS gets nothing, unless it may be in the clear", async () => {
    const port = await start({ disabledCommands: ["AUTH", "STARTTLS"] });
    const sent = await send(`smtp://127.0.0.1:${port}`);
    expect(sent).toMatchObject({ ok: false });
    expect(sent.never ?? false).toBe(false);
    expect(got).toEqual([]);
  });

  test("who is refused is named where others get it, with what the server said", async () => {
    const nobody = "nobody@example.org (550 5.1.1 User unknown)";
    const port = await start({
      disabledCommands: ["AUTH", "STARTTLS"],
      onRcptTo: ({ address }, _, done) =>
        done(address.startsWith("nobody") ? failing(550, "5.1.1 User unknown") : null),
    });
    expect(await send(`smtp://127.0.0.1:${port}?security=none`)).toEqual({
      ...{ ok: true, status: 250, answer: `Refused for ${nobody}`, refused: [nobody] },
    });
    got.splice(0);
  });

  test("who is refused for now is told from who is refused for good", async () => {
    const port = await start({
      disabledCommands: ["AUTH", "STARTTLS"],
      onRcptTo: ({ address }, _, done) =>
        done(address.startsWith("nobody") ? failing(550) : address.startsWith("grey") ? failing(450) : null),
    });
    const to = [...mail.to, "grey@example.org"];
    const server = serverAt(`smtp://127.0.0.1:${port}?security=none`);
    expect(await sendMail(open, server, { ...mail, to }, going)).toEqual({
      ...{ ok: true, status: 250, later: ["grey@example.org"], refused: ["nobody@example.org (550 no)"] },
      answer: "Refused for nobody@example.org (550 no). Not taken yet for grey@example.org (450 no)",
    });
    got.splice(0);
  });

  test("of several who are refused for one reason it is said once, and a long one is cut", async () => {
    const port = await start({
      disabledCommands: ["AUTH", "STARTTLS"],
      onRcptTo: ({ address }, _, done) =>
        done(address.startsWith("nobody") ? failing(550, `Not here ${"x".repeat(300)}`) : null),
    });
    const to = ["anna@example.org", "nobody1@example.org", "nobody2@example.org"];
    const server = serverAt(`smtp://127.0.0.1:${port}?security=none`);
    const { answer, refused } = await sendMail(open, server, { ...mail, to }, going);
    expect(answer).toMatch(/^Refused for nobody1@example\.org, nobody2@example\.org \(550 Not here x{50,150}\)$/);
    expect(refused).toHaveLength(2);
    got.splice(0);
  });

  test.each([
    ["onRcptTo", 451, false],
    ["onRcptTo", 554, true],
    ["onMailFrom", 451, false],
    // a refused sender is not final, because it can be corrected in the settings
    ["onMailFrom", 530, false],
    ["onMailFrom", 550, false],
  ] as const)("%s of a server says %i: given up for good is %s", async (command, code, never) => {
    const port = await start({
      disabledCommands: ["AUTH", "STARTTLS"],
      [command]: (_: unknown, __: unknown, done: (error: Error) => void) => done(failing(code)),
    });
    expect(await send(`smtp://127.0.0.1:${port}?security=none`)).toMatchObject({ ok: false, status: code, never });
  });

  const answering = { disabledCommands: ["AUTH", "STARTTLS"] };
  const sendWithin = (port: number, untilSentMs: number, answerMs: number) =>
    sendMail(open, serverAt(`smtp://127.0.0.1:${port}?security=none`), mail, going, { untilSentMs, answerMs });

  test("a server that looks at the content for long before it answers has got the mail", async () => {
    const port = await start({
      ...answering,
      onData: (stream, _, done) => void stream.on("end", () => setTimeout(done, 5_000)).resume(),
    });
    expect(await sendWithin(port, 4_000, 30_000)).toMatchObject({ ok: true, status: 250 });
  });

  test("one that never answers the content may have taken it, one that stops before has not; both are said in words", async () => {
    const silent = await start({ ...answering, onData: (stream) => void stream.resume() });
    expect(await sendWithin(silent, 20_000, 500)).toEqual({
      ...{ ok: false, status: null },
      answer: expect.stringMatching(/took the mail, but did not say in time .* It may have arrived\.$/),
    });
    const stopping = await start({ ...answering, onMailFrom: () => undefined });
    expect(await sendWithin(stopping, 500, 20_000)).toEqual({
      ...{ ok: false, status: null, answer: "The mail server did not take the mail in time." },
    });
  });

  test("a private mail server is refused where consent counts for nothing; allowed, it is reached", async () => {
    const port = await start({ disabledCommands: ["AUTH", "STARTTLS"] });
    const url = `smtp://127.0.0.1:${port}?security=none`;
    expect(await send(url, createSocketOpener(policyWith([]), names))).toEqual({
      ...{
        ok: false,
        status: null,
        answer: expect.stringMatching(/Start the product with 127\.0\.0\.1 in EGRESS_ALLOW/),
      },
    });
    expect(got).toEqual([]);
    expect(await send(url)).toMatchObject({ ok: true });
    got.splice(0);
  });
});
