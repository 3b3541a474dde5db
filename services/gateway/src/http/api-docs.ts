import { ExpressAdapter, type NestExpressApplication } from "@nestjs/platform-express";
import type { INestApplication } from "@nestjs/common";
import type { OpenAPIObject } from "@nestjs/swagger";
import { api } from "@web-tester/contracts/api";
import express from "express";
import { successStatus } from "./endpoint-facts.js";
import { openApiDocument } from "./openapi.js";

const paths = /^\/api\/(?:docs|openapi\.json)(?:\/|$)/;

/**
 * Serves the API's description at /api/openapi.json and its page, from files of our own, at /api/docs. The library behind them is loaded
 * when somebody asks for the first time: 530 modules, 165 ms and 27 MB that a gateway without readers has no use for.
 */
export function serveApiDocs(app: NestExpressApplication): void {
  let loading: Promise<express.Router> | undefined;
  app.use(async (request: express.Request, response: express.Response, next: express.NextFunction) => {
    if (!paths.test(request.path)) return next();
    try {
      const docs = await (loading ??= loadDocs());
      docs(request, response, next);
    } catch (error) {
      loading = undefined;
      next(error);
    }
  });
}

async function loadDocs(): Promise<express.Router> {
  const { SwaggerModule } = await import("@nestjs/swagger");
  const docs = express.Router({ caseSensitive: true });
  const adapter = new ExpressAdapter(docs);
  // what the library asks of an application
  const place = Object.assign(adapter, { getHttpAdapter: () => adapter }) as unknown as INestApplication;
  // the page and the definition are the library's; it types documents of OpenAPI 3.0, and ours is 3.1
  const document = openApiDocument(api, successStatus) as unknown as OpenAPIObject;
  SwaggerModule.setup("api/docs", place, document, {
    jsonDocumentUrl: "api/openapi.json",
    raw: ["json"],
    customSiteTitle: "web-tester API",
  });
  return docs;
}
