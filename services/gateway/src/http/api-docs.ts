import type { NestExpressApplication } from "@nestjs/platform-express";
import { type OpenAPIObject, SwaggerModule } from "@nestjs/swagger";
import { api } from "@web-tester/contracts/api";
import { successStatus } from "./endpoint-facts.js";
import { openApiDocument } from "./openapi.js";

/** Serves the API's description at /api/openapi.json and its page, from files of our own, at /api/docs. */
export function serveApiDocs(app: NestExpressApplication): void {
  const document = openApiDocument(api, successStatus);
  // the page and the definition are the library's; it types documents of OpenAPI 3.0, and ours is 3.1
  SwaggerModule.setup("api/docs", app, document as unknown as OpenAPIObject, {
    jsonDocumentUrl: "api/openapi.json",
    raw: ["json"],
    customSiteTitle: "web-tester API",
  });
}
