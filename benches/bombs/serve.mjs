// @ts-check
/**
 * Serves one of the two sites, `good` or `bombs`, in its own process, so that the cost of serving is counted separately.
 * Prints its address once everything is packed.
 */
import { httpBombs, serveBombs } from "../lib/http-bombs.mjs";

const site = await serveBombs(process.argv[2] === "bombs" ? httpBombs() : {});
process.stdout.write(`${site.url}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
