/** Object that marks a bucket, below its prefix, as a store; never part of a listing. The drivers of folders take no notice of it. */
export const markerKey = "store";

/** A longer object is not a mark that names an installation. */
export const markMaxBytes = 64 * 1024;

const text =
  "Here Web Tester keeps the contents of pages. It waits when this object is missing: leave it where it is.\n" +
  "To let another installation take this place over, stop this one and replace this object by an empty one.\n";

/**
 * Writes a mark.
 * @param installation whose store it is; null: of whoever uses it next
 */
export const markOf = (installation: string | null): Buffer =>
  Buffer.from(installation === null ? text : `${text}Installation: ${installation}\n`);

/** Returns the installation that a mark names; null where it names none, like those of earlier versions and those that operators write. */
export const installationOf = (mark: Uint8Array): string | null =>
  /^Installation: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(Buffer.from(mark).toString("latin1"))?.[1] ??
  null;
