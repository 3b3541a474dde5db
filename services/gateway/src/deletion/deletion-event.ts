import type { ProductEvent } from "@web-tester/contracts/socket";
import type { RunProgress } from "@web-tester/records/runs/run-progress";

/** Makes the event that tells browsers the progress of a deletion, or that it is over. */
export function deletionEvent(run: RunProgress): ProductEvent {
  return {
    type: run.state === "running" ? "deleteAll:progress" : "deleteAll:completed",
    testobjectId: run.test_object_id,
    runId: run.id,
    total: run.total,
    completed: run.completed,
    failed: run.failed,
    running: run.state === "running",
    mode: run.kind === "delete-snapshots" ? "snapshots" : run.kind === "delete-object" ? "object" : "instances",
  };
}
