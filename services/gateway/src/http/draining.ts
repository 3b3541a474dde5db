import type { Request, RequestHandler, Response } from "express";

/** Drains a server that is told to stop: new clients stay away, and requests that still come are served. */
export interface Draining {
  handler: RequestHandler;
  /** From now on /readyz says no, and each answer is the last one on its connection. */
  begin(): void;
}

/**
 * Creates the handler that drains the server. Closing a connection while a request travels on it would lose the request, so the server
 * leaves the closing to clients: it sends `Connection: close` with each answer, and load balancers open no new connections once
 * `/readyz` says no.
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
