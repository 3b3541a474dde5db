import { countRecords } from "./count-records.js";

const tellEveryMs = 100;

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

self.addEventListener("message", ({ data }: MessageEvent<File>) => {
  let toldAt = 0;
  countRecords(chunksOf(data), (bytes) => {
    if (performance.now() - toldAt < tellEveryMs) return;
    toldAt = performance.now();
    self.postMessage({ bytes });
  }).then(
    (answer) => self.postMessage({ answer }),
    (error: unknown) => self.postMessage({ failure: error instanceof Error ? error.message : String(error) }),
  );
});
