// Unpacks the Chromium of npm into the folder that TMPDIR names: the package unpacks there and nowhere else.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { inflate } from "@sparticuz/chromium";

// whoever wants it holds the other end: where that process is gone, nobody moves or removes what is unpacked
process.stdin.once("end", () => process.exit(1)).resume();
const packed = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin");
// the program, and what a machine without desktop lacks: NSS and a font
await Promise.all(["chromium.br", "al2023.tar.br", "fonts.tar.br"].map((name) => inflate(join(packed, name))));
process.exit(0);
