import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectDriver } from "@web-tester/platform/object-store/object-driver";

const ending = "._S3rver_object";
const refuse = () => Promise.reject(new Error("The campaign only looks"));

/** Reads a bucket straight from the files of the tests' S3 server, past that server, which is slow and may be under a fault. */
export function readBucketFolder(folder: string): ObjectDriver {
  const place = (key: string) => join(folder, `${key}${ending}`);
  const namesIn = (path: string) => readdir(path).catch((): string[] => []);
  return {
    put: refuse,
    delete: refuse,
    get: (key) => readFile(place(key)).catch(() => null),
    has: (key) =>
      stat(place(key)).then(
        () => true,
        () => false,
      ),
    async *list() {
      for (const part of await namesIn(folder)) {
        for (const name of await namesIn(join(folder, part))) {
          if (!name.endsWith(ending)) continue;
          const found = await stat(join(folder, part, name)).catch(() => undefined);
          if (found !== undefined)
            yield { key: `${part}/${name.slice(0, -ending.length)}`, size: found.size, modifiedAt: found.mtime };
        }
      }
    },
    mayBeAway: () => undefined,
    belongsTo: () => undefined,
    check: () => Promise.resolve(),
    close: () => undefined,
  };
}
