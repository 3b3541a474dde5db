// @ts-check
import { createInterface } from "node:readline";

/**
 * The frame of a crawling program that the bench starts: it says that it is loaded, waits for the word to go, crawls, and
 * hands over the pages. What it costs is measured from outside between those two lines, so that start-up counts for nobody.
 * @param {(task: { url: string, concurrency: number }) => Promise<Iterable<string>>} crawl gives the addresses of the HTML pages it visited
 */
export async function runProgram(crawl) {
  const task = JSON.parse(process.argv[2] ?? "{}");
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write("ready\n");
  await lines.next();
  const pages = await crawl(task);
  process.stdout.write(`${JSON.stringify([...pages])}\n`);
  await lines.next();
  process.exit(0);
}
