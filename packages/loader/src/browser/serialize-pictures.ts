/** The most pictures of canvases and blobs that are kept in a page, and the most characters of all of them. */
const picturesMax = 50;
const pictureMaxChars = 4 * 1024 * 1024;

/** A part of `serializeDocument`: what is painted becomes a picture in a `data:` address. */
export const pictures = `
  let pictures = 0, pictureChars = 0;
  const kept = (address) => {
    if (pictures >= ${picturesMax} || pictureChars + address.length > ${pictureMaxChars}) { unkept.large += 1; return null; }
    pictures += 1;
    pictureChars += address.length;
    return address;
  };
  const addressOf = (canvas) => kept(canvas.toDataURL("image/png"));
  const isDrawn = (canvas, inert) => {
    const small = Object.assign(inert.createElement("canvas"), { width: 32, height: 32 });
    const pen = small.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0, 32, 32);
    return pen.getImageData(0, 0, 32, 32).data.some((value) => value !== 0);
  };
  // those of other kinds may have given away what they drew
  const isPlain = (canvas) => { try { return canvas.getContext("2d") !== null; } catch { return false; } };
  const canvasAddress = (canvas, inert) => {
    try {
      if (!isDrawn(canvas, inert) && !isPlain(canvas)) { unkept.gone += 1; return null; }
      return addressOf(canvas);
    } catch { unkept.foreign += 1; return null; }
  };
  const imageAddress = (image, inert) => {
    const canvas = Object.assign(inert.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
    try { canvas.getContext("2d").drawImage(image, 0, 0); return addressOf(canvas); } catch { return null; }
  };
  // pictures in blobs, read by readMoments; null where there is none
  const moments = globalThis.moments ?? new Map();
  const unread = new Set();
  const momentAddress = (url) => {
    const address = moments.get(url);
    if (address === undefined) unread.add(url);
    return address ? kept(address) : null;
  };
  const inData = (url) => {
    const address = momentAddress(url);
    return address === null ? "none" : 'url("' + address + '")';
  };
  const draw = (canvas, twin, inert) => {
    const address = canvasAddress(canvas, inert);
    if (address === null) return;
    const image = inert.createElement("img");
    for (const { name, value } of canvas.attributes) image.setAttribute(name, value);
    image.setAttribute("width", canvas.width);
    image.setAttribute("height", canvas.height);
    if (!image.hasAttribute("alt")) image.setAttribute("alt", canvas.getAttribute("aria-label") ?? "");
    image.setAttribute("src", address);
    twin.replaceWith(image);
  };`;

/** How long reading the blobs of a page may take. */
const readMs = 2_000;

/** An expression for a function that reads the pictures in blobs for the next `serializeDocument`: only some of them are in memory. */
export const readMoments = `async (urls) => {
  const moments = (globalThis.moments ??= new Map());
  const read = async (url) => {
    moments.set(url, null);
    const blob = await (await fetch(url)).blob();
    if (blob.size > ${pictureMaxChars / 2} || !/^(image\\/|$)/i.test(blob.type)) return;
    const reader = new FileReader();
    reader.readAsDataURL(blob);
    await new Promise((resolve) => reader.addEventListener("loadend", resolve));
    if (reader.result !== null) moments.set(url, reader.result);
  };
  await Promise.race([Promise.allSettled(urls.slice(0, ${picturesMax}).map(read)), new Promise((resolve) => setTimeout(resolve, ${readMs}))]);
}`;
