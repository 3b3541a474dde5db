import { type PageScan, scanPage, type ScanTask } from "./scan-page.js";

/** Runs in a worker thread. */
export default function work(task: ScanTask): PageScan {
  return scanPage(task);
}
