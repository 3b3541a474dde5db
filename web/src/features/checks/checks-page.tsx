import { Button } from "@mantine/core";
import { IconCircleCheck, IconClock, IconCircleX, IconLoader, IconAlertTriangle } from "@tabler/icons-react";
import type { CheckDecision, CheckState, ReleaseCheck } from "@web-tester/contracts/entities/check";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { testObjectQuery } from "../../api/queries.js";
import { checksQuery } from "../../api/review-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, InlineError, RowSkeletons } from "../../ui/feedback/states.js";
import { starterWords } from "../../ui/format/starter-words.js";
import { formatDate } from "../../ui/format/dates.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { type Label, t } from "../../texts/text.js";
import { BadgeCard } from "./badge-card.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./checks.module.css";

const words: Readonly<Record<CheckState, Label>> = {
  running: "is running",
  waiting: "waits for review",
  accepted: "accepted",
  rejected: "rejected",
  failed: "could not run",
};

const icons = {
  ...{ running: IconLoader, waiting: IconClock, accepted: IconCircleCheck },
  ...{ rejected: IconCircleX, failed: IconAlertTriangle },
} satisfies Record<CheckState, typeof IconClock>;

/**
 * The page of release checks, newest first.
 * @param id of one test object; null: of all
 */
export function ChecksPage({ id }: { id: string | null }) {
  const client = useQueryClient();
  const object = useQuery({ ...testObjectQuery(client, id ?? ""), enabled: id !== null }).data;
  const query = useInfiniteQuery(checksQuery(id));
  usePageMeta(t("Checks of releases"), "", id === null ? "/checks" : `/objects/${id}/checks`);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const decide = useDeciding();
  return (
    <Page>
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Checks of releases")} />}
        title={t("Checks of releases")}
        actions={
          id !== null && (
            <Button component={Link} variant="default" to="/checks">
              {t("All test objects")}
            </Button>
          )
        }
      />
      <div className={classes["cards"]}>
        {query.isPending && <RowSkeletons count={4} />}
        {query.isError && (
          <InlineError
            title={t("The list could not be loaded")}
            detail={messageOf(query.error)}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.isSuccess && (
          <Checks items={items} onDecide={(check, decision) => void decide(check, decision)}>
            {<ShowMore query={query} />}
          </Checks>
        )}
        {id !== null && <BadgeCard id={id} />}
      </div>
    </Page>
  );
}

function useDeciding() {
  const client = useQueryClient();
  return async (check: ReleaseCheck, decision: CheckDecision) => {
    try {
      await call("decideCheck", { params: { id: check.id }, body: { decision } });
    } catch (error) {
      toast("error", messageOf(error));
    }
    await client.invalidateQueries();
  };
}

interface ChecksProps {
  items: readonly ReleaseCheck[];
  onDecide: (check: ReleaseCheck, decision: CheckDecision) => void;
  /** Content below the last check. */
  children: React.ReactNode;
}

function Checks({ items, onDecide, children }: ChecksProps) {
  return (
    <Card title={t("Newest first")} flush>
      {items.length === 0 && (
        <Empty title={t("No checks yet")}>
          {t("Pipelines run web-tester check to find out whether a site is as expected. Their checks are listed here.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Checks of releases")}>
        {items.map((check) => (
          <CheckRow key={check.id} check={check} onDecide={(decision) => onDecide(check, decision)} />
        ))}
      </ul>
      {children}
    </Card>
  );
}

interface CheckRowProps {
  check: ReleaseCheck;
  onDecide: (decision: CheckDecision) => void;
}

function CheckRow({ check, onDecide }: CheckRowProps) {
  const { state, testobject, commit, branch, pipeline_url: pipeline, error, note } = check;
  const Icon = icons[state];
  return (
    <li className={classes["row"]} data-state={state}>
      <span className={classes["state"]}>
        <Icon size={16} aria-hidden /> {t(words[state])}
      </span>
      <div className={classes["what"]}>
        <div>
          <Link className="link" to={`/objects/${testobject.id}`}>
            {testobject.name}
          </Link>{" "}
          {t("against {what}", { what: check.against })}
          {state === "waiting" && `, ${t("{n} to look at", { n: check.waiting })}`}
        </div>
        <div className="label">
          {[branch, commit?.slice(0, 12), formatDate(check.created_at), starterWords(check)]
            .filter((part) => part != null)
            .join(" · ")}
          {pipeline !== null && (
            <>
              {" · "}
              <a className="link" href={pipeline} target="_blank" rel="noreferrer noopener">
                {t("Pipeline")}
              </a>
            </>
          )}
          {check.decided_by !== null && ` · ${t("by {who}", { who: check.decided_by })}`}
        </div>
        {(error ?? note) !== "" && <div className="label">{error ?? note}</div>}
      </div>
      <Acts check={check} onDecide={onDecide} />
    </li>
  );
}

/** Buttons to decide a check, or to change the decision, and a link to what was found. */
function Acts({ check: { state, testobject, run_id: runId }, onDecide }: CheckRowProps) {
  const canDecide = state === "waiting" || state === "rejected" || state === "accepted";
  return (
    <div className={classes["acts"]}>
      {canDecide && state !== "rejected" && (
        <Needs call="decideCheck">
          <Button size="xs" variant="default" onClick={() => onDecide("rejected")}>
            {t("Reject")}
          </Button>
        </Needs>
      )}
      {canDecide && state !== "accepted" && (
        <Needs call="decideCheck">
          <Button size="xs" variant="default" onClick={() => onDecide("accepted")}>
            {t("Accept")}
          </Button>
        </Needs>
      )}
      {runId !== null && (
        <Button
          size="xs"
          variant={state === "waiting" ? "filled" : "default"}
          component={Link}
          to={`/runs/${runId}/review`}
          aria-label={t("Review of {name}", { name: testobject.name })}
        >
          {t("Review")}
        </Button>
      )}
    </div>
  );
}
