import { utf16WithoutMark } from "./decode.js";

/**
 * Whether bytes that are labelled as HTML are really binary: a picture, an archive, a font. Told by their first bytes, or
 * by the share of control characters in the first 4,096 (binary data bytes of WHATWG MIME Sniffing §3). UTF-16 and
 * ISO-2022-JP count as text, as does markup with a few stray NULs, and an empty body.
 */
export function looksBinary(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096));
  // this runs for every page, so bytes are compared in place, without a slice or a function call for each
  for (const { at, magic } of signatures)
    if (head[at] === magic[0] && head.subarray(at, at + magic.length).equals(magic)) return true;
  if (isUtf16(head)) return false;
  const tolerated = startsWithMarkup(head) ? 0.3 : 0.05;
  let binaryBytes = 0;
  for (let index = 0; index < head.length; index += 1) binaryBytes += binaryByte[head[index] ?? 0] ?? 0;
  return binaryBytes > head.length * tolerated;
}

function isUtf16(head: Buffer): boolean {
  return (
    (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) || utf16WithoutMark(head) !== null
  );
}

function startsWithMarkup(head: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<[a-z!?/]/i.test(head.subarray(0, 256).toString("latin1"));
}

/** 1 for control characters that no text has; tab, LF, FF, CR and ESC (ISO-2022-JP) are allowed. */
const binaryByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1f && byte !== 0x1b) ? 1 : 0,
);

function signature(hex: string, at = 0): { at: number; magic: Buffer } {
  return { at, magic: Buffer.from(hex, "hex") };
}

const signatures = [
  signature("89504e470d0a1a0a"), // PNG
  signature("ffd8ff"), // JPEG
  signature("47494638"), // GIF
  signature("52494646"), // RIFF: WebP, WAV, AVI
  signature("00000100"), // ICO
  signature("49492a00"), // TIFF
  signature("4d4d002a"), // TIFF
  signature("66747970", 4), // MP4, AVIF, HEIC
  signature("25504446"), // PDF
  signature("504b0304"), // ZIP, and office files
  signature("504b0506"), // empty ZIP
  signature("1f8b08"), // gzip
  signature("28b52ffd"), // zstd
  signature("fd377a585a00"), // xz
  signature("425a68"), // bzip2
  signature("377abcaf271c"), // 7z
  signature("526172211a07"), // RAR
  signature("774f4646"), // WOFF
  signature("774f4632"), // WOFF2
  signature("4f54544f00"), // OpenType
  signature("0001000000"), // TrueType
  signature("4f676753"), // Ogg
  signature("494433"), // MP3
  signature("664c6143"), // FLAC
  signature("1a45dfa3"), // Matroska, WebM
  signature("7f454c46"), // ELF
  signature("cafebabe"), // Java class
  signature("0061736d"), // WebAssembly
  signature("d0cf11e0a1b11ae1"), // old office files
  signature("53514c69746520666f726d6174203300"), // SQLite
];
