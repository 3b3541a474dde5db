// Unpacks the Chromium of the npm package into the folder that TMPDIR names, the only place that the package unpacks to.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inflate } from "@sparticuz/chromium";

// the parent process holds the other end: where it has ended, nobody would move or remove what is unpacked
process.stdin.once("end", () => process.exit(1)).resume();
const packed = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin");
// the program, and what a machine without a desktop lacks: NSS and a font
await Promise.all(["chromium.br", "al2023.tar.br", "fonts.tar.br"].map((name) => inflate(join(packed, name))));
process.exit(0);
