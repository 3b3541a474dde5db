import type { ListedAsset } from "@web-tester/html/replay/list-assets";
import { readPage, type ReadTask } from "../pure/read-page.js";

/** Runs in a worker thread. */
export default function work(task: ReadTask): ListedAsset[] | boolean {
  return readPage(task);
}
