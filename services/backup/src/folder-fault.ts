import { AppError } from "@web-tester/contracts/errors";

const remedies: Record<string, string> = {
  ENOSPC: "its disk is full: free some space there, or name a folder on another disk",
  EDQUOT: "the quota of its disk is used up: free some space there, or name a folder on another disk",
  EACCES: "access is denied: give this user the right to read and write it, or name another folder",
  EPERM: "access is denied: give this user the right to read and write it, or name another folder",
  EROFS: "its file system is read-only: name a folder that can be written",
  ENOTDIR: "part of its path is a file: name another folder",
  EEXIST: "there is a file of that name: name another folder",
  EIO: "its disk reports an error: check the disk, or name a folder on another one",
};

/**
 * Says in words that the folder of a backup cannot be used, and what to do. Errors that already say so, or are not the file system's, are
 * returned as they are.
 */
export function folderFault(folder: string, error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("syscall" in error) || !("code" in error)) return error;
  // a folder that cannot be made on a read-only disk is reported as missing by Node.js
  const remedy =
    error.code === "ENOENT" && error.syscall === "mkdir"
      ? "it cannot be made there: name a folder that can be written"
      : remedies[String(error.code)];
  if (remedy === undefined) return error;
  return new AppError("unavailable", `The backup folder ${folder} cannot be used: ${remedy}.`, { cause: error });
}
