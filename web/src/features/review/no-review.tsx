import type { UnreviewedRun } from "@web-tester/contracts/entities/run";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import { Link } from "react-router";
import { isNotFound, messageOf, unreviewedOf } from "../../api/api-error.js";
import { NotLoaded } from "../../ui/feedback/not-loaded.js";
import { Empty } from "../../ui/feedback/states.js";
import { Page } from "../../ui/layout/page.js";
import { type Label, t } from "../../texts/text.js";

/** Says why there is no review: it could not be loaded, there is no such run, or the run is of a kind that has none. */
export function NoReview({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const run = unreviewedOf(error);
  if (run !== null) return <OtherRun run={run} />;
  return (
    <NotLoaded
      here={t("Review")}
      missing={isNotFound(error) ? t("Review not found.") : undefined}
      failed={t("The review could not be loaded")}
      detail={messageOf(error)}
      onRetry={onRetry}
    />
  );
}

/** Runs that found pages, and have a report instead of a review. */
const reported: Partial<Record<RunKind, Label>> = {
  crawl: "This run is a crawl. Only fetches and comparisons have a review.",
  sitemaps: "This run read sitemaps. Only fetches and comparisons have a review.",
};

function OtherRun({ run: { runId, kind, testobject_id: of } }: { run: UnreviewedRun }) {
  const words = reported[kind];
  return (
    <Page>
      <Empty page title={t(words ?? "This run neither fetched nor compared pages, and so has no review.")}>
        <Link to={words === undefined ? `/objects/${of}` : `/objects/${of}?report=${runId}`} className="link">
          {words === undefined ? t("Go to the test object") : t("Show what it found")}
        </Link>
      </Empty>
    </Page>
  );
}
