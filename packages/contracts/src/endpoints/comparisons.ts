import { comparisonInput } from "../entities/comparison.js";
import { byId, endpoint, started } from "./endpoint.js";

/** Calls about comparing a whole site in two states. */
export const comparisonsEndpoints = {
  startComparison: endpoint({
    method: "POST",
    role: "reviewer",
    path: "/api/testobjects/{id}/comparisons",
    summary:
      "Compare all pages as they were with all pages as they are; the run that it begins is reviewed as the run of a fetch is (GET /api/runs/{id}/review)",
    params: byId,
    body: comparisonInput,
    response: started,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
} as const;
