import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createBucketDriver, type Credentials } from "./bucket-driver.js";
import type { ObjectDriver, StoredFile } from "./object-driver.js";
import { objectKey } from "./content-hash.js";

// Answers of servers that the server in object-store.test.ts never gives.

const key = objectKey(Buffer.alloc(32, 7));
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const pair: Credentials = { accessKeyId: "key", secretAccessKey: "very-secret-value" };

/** A driver for a server that passes every request to `answer`. */
async function driverOn(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  accessKey: Credentials | null = pair,
  answerMs?: number,
): Promise<ObjectDriver> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("not a TCP server");
  const driver = createBucketDriver(
    {
      kind: "bucket",
      bucket: "objects",
      prefix: "a/b",
      endpoint: `http://127.0.0.1:${address.port}`,
      region: "us-east-1",
      forcePathStyle: true,
    },
    accessKey ?? undefined,
    answerMs,
  );
  closers.push(() => {
    driver.close();
    server.close();
    server.closeAllConnections();
  });
  return driver;
}

const refusal = (status: number, code: string) => (_request: IncomingMessage, response: ServerResponse) =>
  response
    .writeHead(status, { "Content-Type": "application/xml" })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);

test("the pair of the environment is taken without what stands around it, as a secret of a file has it", async () => {
  const shown: (string | undefined)[] = [];
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "key\n", AWS_SECRET_ACCESS_KEY: " very-secret-value\n" });
  try {
    const sign = async (accessKey: Credentials | null) => {
      const driver = await driverOn(({ headers }, response) => {
        shown.push(headers.authorization?.replace(/, Signature.*/, ""));
        response.writeHead(200).end();
      }, accessKey);
      await driver.check();
    };
    await sign(pair);
    await sign(null);
  } finally {
    process.env = before;
  }
  expect(shown[0]).toMatch(/Credential=key\//);
  expect(shown[1]).toBe(shown[0]);
});

describe("refusals", () => {
  test.each([
    [403, "SignatureDoesNotMatch", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a valid pair"],
    [403, "ExpiredToken", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a valid pair"],
    [403, "AccessDenied", "the rights to read, write, list and delete"],
    [403, "RequestTimeTooSkewed", "clocks"],
    [301, "PermanentRedirect", "set the option region in STORAGE_URL"],
    [400, "AuthorizationHeaderMalformed", "set the option region in STORAGE_URL"],
    [404, "NoSuchBucket", "create it"],
    [503, "SlowDown", "the server answers 503 SlowDown"],
  ])(
    "puts %i %s into words",
    async (status, code, words) => {
      const driver = await driverOn(refusal(status, code));
      for (const call of [
        () => driver.put(key, Buffer.from("x")),
        () => driver.get(key, 100),
        () => driver.delete(key),
        () => all(driver),
      ]) {
        const error: unknown = await call().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: "unavailable", retryable: true, message: expect.stringContaining(words) });
        expect(String(error)).toMatch(/bucket objects at http:\/\/127/);
        expect(String(error)).not.toContain("very-secret-value");
      }
    },
    20_000,
  );

  test("an archived object is that content's fault, not the bucket's", async () => {
    const driver = await driverOn(refusal(403, "InvalidObjectState"));
    await expect(driver.get(key, 100)).rejects.toMatchObject({ code: "content_damaged", retryable: false });
  });

  test("keeps apart what is missing and what is refused", async () => {
    const missing = await driverOn(refusal(404, "NoSuchKey"));
    expect(await missing.get(key, 100)).toBeNull();
    expect(await missing.has(key)).toBe(false);
    await expect(missing.delete(key)).resolves.toBeUndefined();
    const refused = await driverOn((_request, response) => response.writeHead(403).end());
    await expect(refused.has(key)).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("a server that never answers is too slow, not out of reach", async () => {
  const driver = await driverOn(() => undefined, pair, 20);
  await expect(driver.get(key, 100)).rejects.toMatchObject({
    code: "unavailable",
    retryable: true,
    message: expect.stringContaining("takes too long to answer"),
  });
});

test("does not take a body that was cut off for the object", async () => {
  const driver = await driverOn((_request, response) => {
    response.writeHead(200, { "Content-Length": "1000" }).write("half");
    response.socket?.end();
  });
  await expect(driver.get(key, 10_000)).rejects.toMatchObject({ code: "unavailable" });
});

test("does not read a body without a length past the limit", async () => {
  const driver = await driverOn((_request, response) => {
    response.writeHead(200);
    response.on("error", () => undefined);
    const flood = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      if (!response.destroyed) response.once("drain", flood);
    };
    flood();
  });
  await expect(driver.get(key, 1_000_000)).rejects.toMatchObject({ code: "content_damaged" });
}, 20_000);

test("puts bytes alone into the body, in one request, where the prefix says", async () => {
  const seen: { url: string | undefined; body: string; encoding: string | undefined }[] = [];
  const driver = await driverOn((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      seen.push({
        url: request.url?.split("?")[0],
        body: Buffer.concat(parts).toString(),
        encoding: request.headers["content-encoding"],
      });
      response.end();
    });
  });
  await driver.put(key, Buffer.from("the stored bytes"));
  expect(seen).toEqual([{ url: `/objects/a/b/${key}`, body: "the stored bytes", encoding: undefined }]);
});

test("follows a list over its pages", async () => {
  const pages = 3;
  const driver = await driverOn((request, response) => {
    const query = new URL(request.url ?? "", "http://x").searchParams;
    expect(query.get("prefix")).toBe("a/b/");
    const page = Number(query.get("continuation-token") ?? 0);
    const entry = (name: string) =>
      `<Contents><Key>a/b/${name}</Key><Size>5</Size><LastModified>2024-05-01T10:00:00.000Z</LastModified></Contents>`;
    const next = page < pages - 1 ? `<NextContinuationToken>${page + 1}</NextContinuationToken>` : "";
    response.writeHead(200, { "Content-Type": "application/xml" });
    response.end(
      `<?xml version="1.0"?><ListBucketResult>${entry(`first-${page}`)}${entry(`second-${page}`)}${next}</ListBucketResult>`,
    );
  });
  const files = await all(driver);
  expect(files.map((file) => file.key)).toEqual(["first-0", "second-0", "first-1", "second-1", "first-2", "second-2"]);
  expect(files[0]).toEqual({ key: "first-0", size: 5, modifiedAt: new Date("2024-05-01T10:00:00.000Z") });
});

async function all(driver: ObjectDriver): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const file of driver.list()) files.push(file);
  return files;
}
