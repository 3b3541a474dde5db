// @ts-check
/** Command of the images' health check: asks the service of this container whether it is ready. */
const port = process.env["HEALTH_PORT"] ?? process.env["PORT"] ?? "8080";
try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  process.stdout.write((await response.text()).slice(0, 1_000));
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(String(error));
  process.exitCode = 1;
}
