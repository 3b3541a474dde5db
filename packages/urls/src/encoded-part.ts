/**
 * Writes a part of an address as stored addresses have it: characters beyond ASCII are percent-encoded (UTF-8). Screens show them
 * decoded, and people type them so.
 */
export const encodedPart = (part: string): string =>
  part
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/\P{ASCII}+/gu, encodeURIComponent);
