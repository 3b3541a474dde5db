// @ts-check
import { existsSync } from "node:fs";

/** Path of a browser: `CHROMIUM_PATH`, else an installed one. @throws where there is none */
export function findChromium() {
  const path =
    process.env["CHROMIUM_PATH"] ??
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((one) => existsSync(one));
  if (path === undefined) throw new Error("Set CHROMIUM_PATH to a Chrome or Chromium");
  return path;
}
