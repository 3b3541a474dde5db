import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

/** A program whose log has room for some fifteen or thirty lines, depending on the unit of the shell's limit; then it empties the log, as an operator does. */
const program = `
  import { ftruncateSync, readFileSync } from "node:fs";
  import { createLogger } from "@web-tester/platform/log/logger";
  const log = createLogger("tester", "info");
  let written = "";
  const empty = () => {
    written += readFileSync(process.argv[1], "utf8");
    ftruncateSync(1);
  };
  for (let line = 0; line < 60; line += 1) log.info({ line });
  log.fatal({ line: 60 });
  for (let line = 61; line < 70; line += 1) {
    empty();
    log.info({ line });
  }
  empty();
  process.stderr.write(written);
`;

test("a log that has no room ends no service, and its lines are written once there is room", async () => {
  const folder = await mkdtemp(join(tmpdir(), "full-log-"));
  try {
    const { status, stderr } = spawnSync(
      "/bin/sh",
      [
        "-c",
        `ulimit -f 4; exec "$0" --input-type=module -e "$1" "$2" >>"$2"`,
        process.execPath,
        program,
        join(folder, "service.log"),
      ],
      { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8", timeout: 60_000 },
    );
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
      Array.from({ length: 70 }, (_, line) => line),
    );
    expect(status).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
