import { ExpressAdapter, type NestExpressApplication } from "@nestjs/platform-express";
import type { INestApplication } from "@nestjs/common";
import type { OpenAPIObject } from "@nestjs/swagger";
import { api } from "@web-tester/contracts/api";
import express from "express";
import { successStatus } from "./endpoint-facts.js";
import { openApiDocument } from "./openapi.js";

const paths = /^\/api\/(?:docs|openapi\.json)(?:\/|$)/;

/**
 * Serves the API's description at /api/openapi.json and its page, with files of our own, at /api/docs. The library behind them is
 * loaded with the first request: its 530 modules take 165 ms and 27 MB, which a gateway without readers need not spend.
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
  // what the library needs of an application
  const place = Object.assign(adapter, { getHttpAdapter: () => adapter }) as unknown as INestApplication;
  // the library makes both the page and the definition, but its types are for OpenAPI 3.0 while our document is 3.1
  const document = openApiDocument(api, successStatus) as unknown as OpenAPIObject;
  SwaggerModule.setup("api/docs", place, document, {
    jsonDocumentUrl: "api/openapi.json",
    raw: ["json"],
    customSiteTitle: "web-tester API",
  });
  return docs;
}
