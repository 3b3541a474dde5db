// @ts-check
/** A minimal program that fetches and stores pages: an undici pool, SHA-256, zstd-3 and one file per page. */
import { hash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { Pool } from "undici";
import { runProgram } from "../crawl/program.mjs";

await runProgram(async ({ url, concurrency }) => {
  const [, , , list = "", folder = ""] = process.argv;
  /** @type {string[]} */
  const urls = JSON.parse(await readFile(list, "utf8"));
  await mkdir(folder, { recursive: true });
  const pool = new Pool(new URL(url).origin, { connections: concurrency });
  /** @type {string[]} */
  const pages = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let address = urls[next++]; address !== undefined; address = urls[next++]) {
        const { statusCode, body } = await pool.request({ path: new URL(address).pathname, method: "GET" });
        const bytes = Buffer.from(await body.arrayBuffer());
        if (statusCode !== 200) continue;
        await writeFile(join(folder, hash("sha256", bytes)), zstdCompressSync(bytes, { pledgedSrcSize: bytes.length }));
        pages.push(address);
      }
    }),
  );
  await pool.close();
  return pages;
});
