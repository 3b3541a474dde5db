/**
 * Reads an answer with one JSON value per line (application/x-ndjson) as it arrives.
 * @param take called with each value, in order
 */
export async function eachLine(answer: Response, take: (value: unknown) => void): Promise<void> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) if (line !== "") take(JSON.parse(line));
    if (done) return;
  }
}
