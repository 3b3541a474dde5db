import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

/** What is written behind `npm run backup --` and `npm run restore --`. */
const command = fileURLToPath(new URL("../../infra/local/backup.mjs", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-command-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command with a setting that is not valid, so that what is written right ends there. @returns what it complains of */
function complaint(...words: string[]): Promise<string> {
  return saidOf(words, { PORT: "none" });
}

function saidOf(words: string[], settings: Record<string, string | undefined>): Promise<string> {
  const env = { ...process.env, INIT_CWD: folder, DATA_DIR: join(folder, "data"), ...settings };
  return new Promise((done) =>
    execFile(process.execPath, [command, ...words], { env }, (_error, _out, text) => done(text)),
  );
}

test.each([
  [["backup"], "npm run backup -- FOLDER"],
  [["backup", ""], "npm run backup -- FOLDER"],
  [["backup", "--help"], "npm run backup -- FOLDER"],
  [["backup", "there", "--incomplete"], "npm run backup -- FOLDER"],
  [["backup", "my", "backups"], "npm run backup -- FOLDER"],
  [["restore", "--last-whole"], "npm run restore -- FOLDER [--incomplete | --last-whole]"],
  [["restore", "there", "--whole"], "npm run restore -- FOLDER [--incomplete | --last-whole]"],
])("%j says what to write, and makes nothing", async (words, usage) => {
  expect(await complaint(...words)).toBe(`Name a folder: ${usage}\n`);
  expect(await readdir(folder)).toEqual([]);
});

test.each([[["backup", "there"]], [["restore", "there", "--incomplete"]], [["restore", "--last-whole", "there"]]])(
  "%j is right",
  async (words) => {
    expect(await complaint(...words)).toMatch(/PORT/);
  },
);

test("a folder without a product is not backed up, and none is made there", async () => {
  const embedded = { DATABASE_URL: undefined, NATS_URL: undefined, STORAGE_URL: undefined };
  expect(await saidOf(["backup", "there"], embedded)).toMatch(
    /^There is nothing to back up: \S+data\S+ does not exist or is empty\. Set DATA_DIR /,
  );
  expect(await readdir(folder)).toEqual([]);
});
