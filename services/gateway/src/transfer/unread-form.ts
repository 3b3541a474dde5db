/** Forms of files that people take for an import, by their first bytes; what to do with them. */
const forms: readonly { start: Buffer; words: string }[] = [
  { start: Buffer.from("28b52ffd", "hex"), words: "it is packed with Zstandard. Unpack it, or pack it with gzip" },
  // a skippable frame: the dictionary of a .warc.zst
  { start: Buffer.from("5d2a4d18", "hex"), words: "it is packed with Zstandard. Unpack it, or pack it with gzip" },
  { start: Buffer.from("BZh"), words: "it is packed with bzip2. Unpack it, or pack it with gzip" },
  { start: Buffer.from("fd377a585a00", "hex"), words: "it is packed with xz. Unpack it, or pack it with gzip" },
  { start: Buffer.from("377abcaf271c", "hex"), words: "it is a 7z archive. Unpack it, or make a ZIP of its files" },
  { start: Buffer.from("Rar!"), words: "it is a RAR archive. Unpack it, or make a ZIP of its files" },
  { start: Buffer.from("504b0506", "hex"), words: "it is a ZIP without files" },
  {
    start: Buffer.from("filedesc://"),
    words: "it is an ARC file, the form before WARC. Convert it, as with warcio recompress",
  },
];

/** Returns in words what a file is, by its first bytes, that no import reads; null for all others. */
export function unreadForm(first: Buffer): string | null {
  return forms.find(({ start }) => first.subarray(0, start.length).equals(start))?.words ?? null;
}

/** Names of files that say another form than JSON: what they say, and what such a file is. */
const named: readonly { name: RegExp; says: string; is: string }[] = [
  { name: /\.wacz$/i, says: "a WACZ file", is: "a ZIP archive" },
  { name: /\.zip$/i, says: "a ZIP archive", is: "one" },
  { name: /\.warc(?:\.gz)?$/i, says: "a WARC file", is: "one" },
  { name: /\.(?:tar|tar\.gz|tgz)$/i, says: "an export's archive", is: "a tar archive" },
];

/**
 * Returns in words that a file which is neither an archive nor begins as JSON is not what its name says; null where its name says no
 * other form than JSON.
 * @param first its first bytes, decompressed
 */
export function notAsNamed(first: Buffer, name: string): string | null {
  if (/^\s*[{[]/.test(first.toString("utf8"))) return null;
  const other = named.find((one) => one.name.test(name));
  if (other === undefined) return null;
  return `“${name.slice(0, 100)}” is called ${other.says} but is not ${other.is}. It may be damaged, or a page that was saved instead of it: download it again.`;
}
