// @ts-check
import { createInterface } from "node:readline";

/**
 * The frame of a crawling program that the bench starts: it reports that it is loaded, waits for the start signal, crawls,
 * and prints the pages. Its cost is measured from outside between those two lines, so that start-up is not counted.
 * @param {(task: { url: string, concurrency: number }) => Promise<Iterable<string>>} crawl returns the addresses of the HTML pages that it visited
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
