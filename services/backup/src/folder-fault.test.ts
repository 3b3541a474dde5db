import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { folderFault } from "./folder-fault.js";

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: as the system says, ${syscall}`), { code, syscall });

test.each([
  ["ENOSPC", "write", "its disk is full: free some space there"],
  ["EROFS", "open", "its file system is read-only"],
  ["EEXIST", "mkdir", "there is a file of that name"],
  ["ENOENT", "mkdir", "it cannot be made there"],
])("%s in %s is said in words, with the folder", (code, syscall, words) => {
  const fault = folderFault("/srv/backup", systemError(code, syscall));
  expect(fault).toBeInstanceOf(AppError);
  expect(String(fault)).toContain(`The backup folder /srv/backup cannot be used: ${words}`);
});

test("what is no fault of the folder is left as it is", () => {
  const said = new AppError("conflict", "The product has no test object.");
  const missing = systemError("ENOENT", "open");
  const database = Object.assign(new Error("no space left"), { code: "53100" });
  expect([said, missing, database].map((error) => folderFault("/srv/backup", error))).toEqual([
    said,
    missing,
    database,
  ]);
});
