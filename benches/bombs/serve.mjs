// @ts-check
/** Serves one of the two sites in a process of its own, so that what serving costs is nobody else's: `good` or `bombs`. Says its address once everything is packed. */
import { httpBombs, serveBombs } from "../lib/http-bombs.mjs";

const site = await serveBombs(process.argv[2] === "bombs" ? httpBombs() : {});
process.stdout.write(`${site.url}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
