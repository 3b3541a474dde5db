import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { buffer } from "node:stream/consumers";

/* A real S3 API on a loopback port, as a separate program: node test-s3-server.mjs FOLDER BUCKET … Its first line of output says where it listens. */

const require = createRequire(import.meta.url);
const S3rver = require("s3rver");
const FilesystemStore = require("s3rver/lib/stores/filesystem");

/**
 * s3rver 3.7.1 answers a PutObject when it has read the body, not when it has written it; it truncates the file first, so a GetObject right
 * after the answer could read an empty or a partial object. Amazon S3 guarantees read-after-write (S3 user guide, "Data consistency
 * model"), and so does this override.
 */
FilesystemStore.prototype.putObject = async function putObject({ bucket, key, content, metadata }) {
  const bytes = await buffer(content);
  const path = this.getResourcePath(bucket, key, "object");
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, bytes);
  const md5 = createHash("md5").update(bytes).digest("hex");
  await this.putMetadata(bucket, key, metadata, md5);
  await rename(beside, path);
  return { size: bytes.length, md5 };
};

const [folder, ...buckets] = process.argv.slice(2);
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  directory: folder,
  silent: true,
  configureBuckets: buckets.map((name) => ({ name, configs: [] })),
});
const { port } = await server.run();
console.log(`listening on 127.0.0.1:${port}`);
