import { move } from "piscina";
import { replayText, type ReplayTask } from "./replay-task.js";

/** The most bytes of a result: with more, a page of 10 MiB consists mostly of addresses. */
const outputMaxBytes = 128 * 1024 * 1024;

/** Does a task, in a worker thread. @returns the text as UTF-8 */
export default function work(task: ReplayTask): unknown {
  const text = new TextEncoder().encode(replayText(task));
  if (text.length > outputMaxBytes) throw new RangeError("The page has become too large to be shown");
  return move(text);
}
