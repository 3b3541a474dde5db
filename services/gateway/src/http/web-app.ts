import type { NextFunction, Request, RequestHandler, Response } from "express";
import serveFiles from "express-static-gzip";
import { access } from "node:fs/promises";
import { join, relative } from "node:path";

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Not built yet</title>
<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>The web application is not built</h1><p>The API works, see <a href="/api/docs">/api/docs</a>. Run <code>npm run build</code> and reload this page.</p></body></html>
`;

/** Paths that belong to the server, even if the browser application's router knew them. */
const serverPath = /^\/(api|ws|auth|feeds|healthz|readyz|metrics|config\.json)(\/|$)/i;

/** Whether a request opens a screen in a browser, as opposed to asking for a file or for data. */
export function isNavigation(method: string, path: string, accept: string): boolean {
  return (
    (method === "GET" || method === "HEAD") && !serverPath.test(path) && (path === "/" || accept.includes("text/html"))
  );
}

/**
 * Serves the built browser application: its files, and its one HTML document for every screen.
 * @param dir where it was built; null: it is not served, and screens say so
 */
export function webApp(dir: string | null): RequestHandler {
  const files = filesOf(dir);
  const index = dir === null ? null : join(dir, "index.html");

  async function answerDocument(response: Response, next: NextFunction): Promise<void> {
    response.setHeader("Cache-Control", "no-cache");
    if (index === null || !(await exists(index))) {
      response.status(503).type("html").send(notBuilt);
      return;
    }
    response.sendFile(index, { cacheControl: false }, (error: unknown) => {
      if (error !== undefined && error !== null && !response.headersSent) next(error);
    });
  }

  return (request: Request, response: Response, next: NextFunction) => {
    if ((request.method !== "GET" && request.method !== "HEAD") || serverPath.test(request.path)) {
      next();
      return;
    }
    if (!isReadable(request.path)) {
      // the file server would answer it in another form than the API's errors
      next(new URIError(`${request.path} has a broken percent escape`));
      return;
    }
    files(request, response, (error?: unknown) => {
      // was set for a compressed file that is gone by now
      response.removeHeader("Content-Encoding");
      if (error !== undefined) next(error);
      else if (isNavigation(request.method, request.path, request.headers.accept ?? ""))
        void answerDocument(response, next);
      else next();
    });
  };
}

function filesOf(dir: string | null): RequestHandler {
  if (dir === null) return (_request, _response, next) => next();
  return serveFiles(dir, {
    index: false,
    serveStatic: {
      redirect: false,
      dotfiles: "ignore",
      setHeaders: (response, path) => response.setHeader("Cache-Control", cacheRule(relative(dir, path))),
    },
  });
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The cache header of a file: those under `assets/` carry a hash of their content in their name, so they never change. */
export function cacheRule(path: string): string {
  return /^assets[\\/].+-[\w-]{8,}\.\w+(\.\w+)?$/.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
}
