import type { AssetExtension } from "@web-tester/contracts/asset-types";

/**
 * Signatures of pictures and fonts (WHATWG MIME Sniffing §6): browsers show them by their first bytes, even if their type
 * is wrong.
 */
const signatures: readonly { extension: AssetExtension; at: number; magic: Buffer }[] = [
  { extension: "png", at: 0, magic: Buffer.from("89504e470d0a1a0a", "hex") },
  { extension: "jpg", at: 0, magic: Buffer.from("ffd8ff", "hex") },
  { extension: "gif", at: 0, magic: Buffer.from("GIF8") },
  { extension: "webp", at: 8, magic: Buffer.from("WEBPVP") },
  { extension: "avif", at: 4, magic: Buffer.from("ftypavif") },
  { extension: "avif", at: 4, magic: Buffer.from("ftypavis") },
  { extension: "bmp", at: 0, magic: Buffer.from("BM") },
  { extension: "ico", at: 0, magic: Buffer.from("00000100", "hex") },
  { extension: "ico", at: 0, magic: Buffer.from("00000200", "hex") },
  { extension: "woff2", at: 0, magic: Buffer.from("wOF2") },
  { extension: "woff", at: 0, magic: Buffer.from("wOFF") },
  { extension: "otf", at: 0, magic: Buffer.from("OTTO") },
  { extension: "ttf", at: 0, magic: Buffer.from("0001000000", "hex") },
  { extension: "ttf", at: 0, magic: Buffer.from("true") },
];

const byType: Readonly<Record<string, AssetExtension>> = {
  "text/css": "css",
  "image/png": "png",
  "image/apng": "png",
  "image/jpeg": "jpg",
  "image/jpg": "jpg",
  "image/pjpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/x-ms-bmp": "bmp",
  "image/x-icon": "ico",
  "image/vnd.microsoft.icon": "ico",
  "image/svg+xml": "svg",
  "image/tiff": "tif",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/ogg": "ogv",
  "video/quicktime": "mov",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/ogg": "ogg",
  "application/ogg": "ogg",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mp4": "m4a",
  "audio/aac": "m4a",
  "audio/flac": "flac",
  "audio/webm": "webm",
  "font/woff2": "woff2",
  "application/font-woff2": "woff2",
  "font/woff": "woff",
  "application/font-woff": "woff",
  "application/x-font-woff": "woff",
  "font/ttf": "ttf",
  "application/x-font-ttf": "ttf",
  "font/otf": "otf",
  "application/vnd.ms-opentype": "otf",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/plain": "txt",
  "text/xml": "txt",
  "application/xml": "txt",
  "text/javascript": "txt",
  "application/javascript": "txt",
  "application/x-javascript": "txt",
  "application/json": "json",
  "application/pdf": "pdf",
};

/**
 * Returns the type that an asset is served as: by its bytes where they are a picture's or font's, else what the server
 * said. An unknown type is plain bytes.
 */
export function assetExtension(contentType: string | null, bytes: Uint8Array): AssetExtension {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 32));
  const seen = signatures.find(({ at, magic }) => head.subarray(at, at + magic.length).equals(magic));
  const essence = (contentType ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
  const said = Object.hasOwn(byType, essence) ? byType[essence] : undefined;
  // a stylesheet may begin with letters that are a picture's signature
  if (said === "css" || said === "html") return said;
  return seen?.extension ?? said ?? "bin";
}
