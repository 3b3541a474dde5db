import { type PageScan, scanPage, type ScanTask } from "../pure/scan-page.js";

/** Runs in a worker thread. */
export default function work(task: ScanTask): PageScan {
  return scanPage(task);
}
