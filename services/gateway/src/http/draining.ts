import type { Request, RequestHandler, Response } from "express";

/** The way out of a server that is told to stop: nobody new comes, and who is inside is served. */
export interface Draining {
  handler: RequestHandler;
  /** From now on it is not ready, and each answer is the last on its connection. */
  begin(): void;
}

/**
 * A connection that is closed while a request travels on it loses the request, so the server does not close what others may still use: it says
 * `Connection: close` with each answer, and the other side opens no new ones once `/readyz` says no.
 */
export function createDraining(): Draining {
  let isStopping = false;
  return {
    begin: () => {
      isStopping = true;
    },
    handler: (request: Request, response: Response, next) => {
      if (!isStopping) {
        next();
        return;
      }
      response.setHeader("Connection", "close");
      if (request.path === "/readyz") response.status(503).json({ status: "stopping" });
      else next();
    },
  };
}
