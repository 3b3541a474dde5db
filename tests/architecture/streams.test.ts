import { globSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { expect, test } from "@jest/globals";
import { joinedByHand, streamFaults, writtenByHand } from "../../infra/local/lint/streams.mjs";

/** There is one way to join streams and one way to send a response in parts, so that no error of a stream goes unhandled. */
const project = resolve(import.meta.dirname, "../..");
const files = globSync("{packages,services}/*/src/**/*.ts", { cwd: project })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => !/\.test\.ts$|\/test-[^/]+$/.test(file));

test("no file joins streams by hand but those that say why", () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => streamFaults(file, readFileSync(join(project, file), "utf8")))).toEqual([]);
});

test("and those still do, so that the list is no longer than it has to be", () => {
  const idle = Object.keys({ ...joinedByHand, ...writtenByHand }).filter((file) => {
    const text = readFileSync(join(project, file), "utf8");
    return streamFaults(file.replace(/^(.+)\/(.+)$/, "$1/other-$2"), text).length === 0;
  });
  expect(idle).toEqual([]);
});

const anywhere = "packages/loader/src/planted.ts";
const gateway = "services/gateway/src/transfer/planted.ts";
test.each([
  ["a pipe", anywhere, `archive.pipe(file);`],
  ["a pipe over two lines", anywhere, `source\n  .pipe(\n createGzip());`],
  ["a pipeline with a callback", anywhere, `import { pipeline, type Readable } from "node:stream";`],
  [
    "a pipeline that nobody waits for",
    anywhere,
    `import { pipeline } from "node:stream/promises";\nvoid pipeline(a, b);`,
  ],
  [
    "a pipeline that is kept",
    anywhere,
    `import { pipeline } from "node:stream/promises";\nconst going = pipeline(a, b);`,
  ],
  ["an answer in parts", gateway, `response.write(piece);`],
  ["Nest's own stream", gateway, `return new StreamableFile(stream);`],
])("refuses: %s", (_what, file, code) => {
  expect(streamFaults(file, `// before\n${code}\n`)).toEqual([expect.stringContaining(`${file}: `)]);
});

test.each([
  ["a schema's pipe", anywhere, `const list = text.pipe(z.array(item));`],
  [
    "a pipeline that is waited for",
    anywhere,
    `import { pipeline } from "node:stream/promises";\nawait pipeline(a, b);`,
  ],
  [
    "one whose error is caught",
    anywhere,
    `import { pipeline } from "node:stream/promises";\nconst going = pipeline(a, b).catch(() => undefined);`,
  ],
  [
    "a socket's own frames",
    "services/gateway/src/realtime/planted.ts",
    `this.requests.get(socket)?.socket.write(frames)`,
  ],
])("lets pass: %s", (_what, file, code) => {
  expect(streamFaults(file, `// before\n${code}\n`)).toEqual([]);
});
