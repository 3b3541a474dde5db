import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installProgress, wantedPackages } from "./installed-packages.mjs";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "web-tester-lock-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const lock = (packages: Record<string, object>) =>
  writeFile(join(root, "package-lock.json"), JSON.stringify({ packages }));
const put = async (folder: string) => {
  await mkdir(dirname(join(root, folder, "x")), { recursive: true });
  await writeFile(join(root, folder, "package.json"), "{}");
};
const linux = { platform: "linux", arch: "x64", isMusl: false };

test("packages for other platforms, links and the workspaces themselves are not waited for", async () => {
  await lock({
    "": {},
    "packages/diff": {},
    "node_modules/@web-tester/diff": { link: true },
    "node_modules/a": {},
    "web/node_modules/a": {},
    "node_modules/here": { os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
    "node_modules/musl": { os: ["linux"], cpu: ["x64"], libc: ["musl"] },
    "node_modules/mac": { os: ["darwin"], cpu: ["arm64"] },
    "node_modules/not-windows": { os: ["!win32"] },
    "node_modules/not-linux": { os: ["!linux"] },
  });
  expect(wantedPackages(root, linux)).toEqual([
    "node_modules/a",
    "web/node_modules/a",
    "node_modules/here",
    "node_modules/not-windows",
  ]);
  expect(wantedPackages(root, { ...linux, isMusl: true })).toContain("node_modules/musl");
});

test("says how many are there, and when only setting up is left", async () => {
  await lock({ "node_modules/a": {}, "node_modules/@b/c": {} });
  const progress = installProgress(root);
  expect(progress()).toBe("0 of 2 packages");
  await put("node_modules/a");
  expect(progress()).toBe("1 of 2 packages");
  await put("node_modules/@b/c");
  expect(progress()).toBe("all 2 packages there, setting them up");
});

test("a lock file that cannot be read is for the install to complain about", async () => {
  expect(installProgress(root)()).toBe(null);
});
