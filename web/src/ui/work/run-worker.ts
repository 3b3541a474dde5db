import { t } from "../../texts/text.js";
/** What a worker posts back: its answer, or why there is none. */
type WorkerReply<A> = { readonly answer: A } | { readonly failure: string };

/**
 * Asks a new worker one question and terminates it afterwards, so that no input can freeze the page.
 * @param make starts the worker; the caller names its file, as bundlers need that
 * @throws Error with words for a person: what the worker said, or that it took too long
 */
export function runWorker<Q, A>(
  make: () => Worker,
  question: Q,
  { timeLimitMs, tooLong, signal }: { timeLimitMs: number; tooLong: string; signal?: AbortSignal },
): Promise<A> {
  return new Promise((resolve, reject) => {
    const worker = make();
    const end = () => {
      window.clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      worker.terminate();
    };
    const onAbort = () => {
      end();
      reject(new DOMException("Something newer was asked for.", "AbortError"));
    };
    const timer = window.setTimeout(() => {
      end();
      reject(new Error(tooLong));
    }, timeLimitMs);
    worker.addEventListener("message", (event: MessageEvent<WorkerReply<A>>) => {
      end();
      if ("answer" in event.data) resolve(event.data.answer);
      else reject(new Error(event.data.failure));
    });
    worker.addEventListener("error", (event) => {
      end();
      reject(new Error(event.message || t("The part that does this work could not be started. Reload the page.")));
    });
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted === true) onAbort();
    else worker.postMessage(question);
  });
}

/** The worker's side: answers each question, or replies with what went wrong. */
export function answerWith<Q, A>(answer: (question: Q) => A): void {
  self.addEventListener("message", (event: MessageEvent<Q>) => {
    let reply: WorkerReply<A>;
    try {
      reply = { answer: answer(event.data) };
    } catch (error) {
      reply = { failure: error instanceof Error ? error.message : String(error) };
    }
    self.postMessage(reply);
  });
}
