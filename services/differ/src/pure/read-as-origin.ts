import type { OriginMap } from "@web-tester/contracts/messages";

const meant = /[.*+?^${}()|[\]\\]/g;
const escaped = (text: string) => text.replaceAll(meant, "\\$&");

/** A slash in HTML, in JSON, and in a query. */
const slash = String.raw`(?:/|\\/|%2F)`;
/** What may follow the name of a folder. */
const afterFolder = `(?=${slash}|[\\s"'?#<>)&\\\\]|$)`;

/**
 * Returns a document with the addresses of one origin replaced by those of another, for comparing two sites: with a scheme
 * or without, as in HTML, in JSON (`https:\/\/`) or in a query (`https%3A%2F%2F`). Where the map names a folder of the origin,
 * that folder is replaced as well, also in addresses without a host (`/preview/x`). All charsets of pages but UTF-16 keep
 * addresses in ASCII, so bytes are replaced. Linear.
 */
export function readAsOrigin(bytes: Uint8Array, { from, to }: OriginMap): Buffer {
  const [older, newer] = [new URL(from), new URL(to)];
  const [folder, other] = [folderOf(older), folderOf(newer)];
  const pattern = new RegExp(
    `(?:(?<scheme>https?)(?<colon>:|%3A))?(?<slashes>//|\\\\/\\\\/|%2F%2F)${escaped(older.host)}(?![\\w.:-])(?<path>${patternOf(folder)}${afterFolder})?`,
    "gi",
  );
  const scheme = newer.protocol.slice(0, -1);
  const isOneOrigin = older.origin === newer.origin;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const read = text.replaceAll(pattern, (_, own = "", colon = "", slashes: string, path = "") => {
    const one = slashes.slice(0, slashes.length / 2);
    // the host is written in either case, a path is not
    const isFolder = path.replaceAll(one, "/") === folder;
    return `${colon === "" ? "" : isOneOrigin ? own : scheme}${colon}${slashes}${newer.host}${isFolder ? other.replaceAll("/", one) : path}`;
  });
  return Buffer.from(folder === "" ? read : readFolder(read, folder, other), "latin1");
}

/** Replaces a folder in addresses that begin with it, but not where it is the later part of another address. */
function readFolder(text: string, folder: string, other: string): string {
  const pattern = new RegExp(`(?<![\\w.~/\\\\%:@-])${patternOf(folder)}${afterFolder}`, "g");
  return text.replaceAll(pattern, (found, offset: number) => {
    const one = /^(?:\/|\\\/|%2F)/.exec(found)?.[0] ?? "/";
    const rest = text.slice(offset + found.length, offset + found.length + one.length);
    // the folder without its slash is the same as the root with one
    return other === "" && rest !== one ? one : other.replaceAll("/", one);
  });
}

/** A folder without its last slash; empty for the root. */
const folderOf = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf("/"));
const patternOf = (folder: string): string => folder.split("/").map(escaped).join(slash);
