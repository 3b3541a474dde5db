import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startGateway } from "./gateway.js";
import { answerWhileStarting } from "./http/starting-page.js";

await runService("gateway", async (config, log, signal) => {
  // the gateway's own port answers /healthz and /readyz as well, and turns not ready when it is told to stop
  const context = await openServiceContext("gateway", config, log, {
    signal,
    ownPort: config.port,
    whileWaiting: answerWhileStarting,
  });
  if (config.port !== 0) context.listens(config.host, config.port);
  const gateway = await startGateway(context);
  context.listens(config.host, gateway.port);
  log.info({ host: config.host, port: gateway.port }, "Serving");
  return {
    stop: async () => {
      await gateway.stop();
      await context.close();
    },
  };
});
