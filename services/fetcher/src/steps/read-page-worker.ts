import { type ReadAnswer, readPage, type ReadTask } from "../pure/read-page.js";

/** Reads a page, in a worker thread. */
export default function work(task: ReadTask): ReadAnswer {
  return readPage(task);
}
