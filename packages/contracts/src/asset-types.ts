/**
 * The content type of a stored asset, by the extension of its `local_path`. No type is one that a browser would run as a script or
 * document. `inline`: a browser that opens the address shows the asset (pictures, sound, video). All others are downloaded when they are
 * opened; pages that use them as styles or fonts are not affected.
 */
export const assetTypes = {
  css: { type: "text/css; charset=utf-8", inline: false },
  png: { type: "image/png", inline: true },
  jpg: { type: "image/jpeg", inline: true },
  gif: { type: "image/gif", inline: true },
  webp: { type: "image/webp", inline: true },
  avif: { type: "image/avif", inline: true },
  bmp: { type: "image/bmp", inline: true },
  ico: { type: "image/x-icon", inline: true },
  // as an image in a page it is harmless, but opened by itself it is a document, and Chromium connects to the addresses of its frames before it refuses them
  svg: { type: "image/svg+xml", inline: false },
  tif: { type: "image/tiff", inline: true },
  mp4: { type: "video/mp4", inline: true },
  webm: { type: "video/webm", inline: true },
  ogv: { type: "video/ogg", inline: true },
  mov: { type: "video/quicktime", inline: true },
  mp3: { type: "audio/mpeg", inline: true },
  ogg: { type: "audio/ogg", inline: true },
  wav: { type: "audio/wav", inline: true },
  m4a: { type: "audio/mp4", inline: true },
  flac: { type: "audio/flac", inline: true },
  woff2: { type: "font/woff2", inline: false },
  woff: { type: "font/woff", inline: false },
  ttf: { type: "font/ttf", inline: false },
  otf: { type: "font/otf", inline: false },
  html: { type: "text/plain; charset=utf-8", inline: false },
  txt: { type: "text/plain; charset=utf-8", inline: false },
  json: { type: "application/json", inline: false },
  pdf: { type: "application/pdf", inline: false },
  bin: { type: "application/octet-stream", inline: false },
} as const;

export type AssetExtension = keyof typeof assetTypes;

export function isAssetExtension(text: string): text is AssetExtension {
  return Object.hasOwn(assetTypes, text);
}
