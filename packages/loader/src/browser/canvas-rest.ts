/** The most canvases of a page that are looked at, and the longer side in pixels of the copies that are compared. */
const canvasesMax = 10;
const copyMaxPx = 256;
/** How long canvases are waited for, from the first look on: charts grow for a second, games and clocks never end. */
const paintingMs = 3_000;
/** Time between two looks at canvases, and how long those have to stay the same that were not seen to change. */
const paintLookMs = 100;
const stillMs = 250;

/**
 * JavaScript for the world in which documents are watched: `look(now)` notes, in what is known of the document, that its canvases were drawn
 * upon, which changes nothing in the document; and returns after how many milliseconds to look again, null where there are none to wait for.
 * Drawings with pictures of other sites cannot be read, and are not waited for.
 */
export const watchCanvases = `(seen, forMs) => {
  const copyOf = (canvas) => {
    const scale = Math.min(1, ${copyMaxPx} / Math.max(canvas.width, canvas.height));
    const copy = Object.assign(document.createElement("canvas"), { width: Math.max(1, canvas.width * scale), height: Math.max(1, canvas.height * scale) });
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0, copy.width, copy.height);
    return pen.getImageData(0, 0, copy.width, copy.height).data;
  };
  const hashOf = (canvas) => {
    try { return new Uint32Array(copyOf(canvas).buffer).reduce((hash, pixel) => Math.imul(hash ^ pixel, 0x01000193), canvas.width ^ canvas.height); } catch { return 0; }
  };
  const isSeen = (canvas) => canvas.width > 0 && canvas.height > 0 && canvas.checkVisibility({ visibilityProperty: true });
  let lookedAt = -Infinity;
  const look = (now) => {
    if (now - lookedAt < ${paintLookMs}) return ${paintLookMs};
    lookedAt = now;
    const shown = Array.from(document.querySelectorAll("canvas")).filter(isSeen).slice(0, ${canvasesMax});
    if (shown.length === 0 || now - (seen.paintedFrom ?? now) > ${paintingMs}) return null;
    const hashes = new Map(shown.map((canvas) => [canvas, hashOf(canvas)]));
    const changed = shown.find((canvas) => seen.canvases?.get(canvas) !== hashes.get(canvas));
    // at the first look nobody knows since when they look like that
    const restedMs = seen.canvases === undefined ? forMs - ${stillMs} : 0;
    seen.canvases = hashes;
    seen.paintedFrom ??= now;
    if (changed === undefined) return ${paintLookMs};
    seen.changedAt = Math.max(seen.changedAt, now - restedMs);
    seen.last = changed;
    return ${paintLookMs};
  };
  return look;
}`;
