import { type PageScan, scanPage, type ScanTask } from "../pure/scan-page.js";

/** Scans a page, in a worker thread. */
export default function work(task: ScanTask): PageScan {
  return scanPage(task);
}
