import { Button, Skeleton } from "@mantine/core";
import type { TestSnapshot, TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { useQuery } from "@tanstack/react-query";
import { IconArrowLeft, IconArrowRight, IconGitCompare } from "@tabler/icons-react";
import { Link } from "react-router";
import { reasonOf, warningOf } from "../../api/reasons.js";
import { isNotFound, messageOf } from "../../api/api-error.js";
import { instanceSnapshotsQuery, snapshotQuery } from "../../api/queries.js";
import { isShared } from "../../ui/access/shared.js";
import { CodeView } from "../../ui/code/code-view.js";
import { NotLoaded } from "../../ui/feedback/not-loaded.js";
import { Empty, InlineError, Waiting } from "../../ui/feedback/states.js";
import { formatDate, formatDuration } from "../../ui/format/dates.js";
import { headerCount, prettyHeaders } from "../../ui/format/headers.js";
import { Card } from "../../ui/layout/card.js";
import { Crumbs, Page, PageHead, SiteLink } from "../../ui/layout/page.js";
import { PrintButton } from "../../ui/layout/print-button.js";
import { usePrintWhole } from "../../ui/layout/use-print-whole.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { failureStatus, httpStatusText, isUnsettled, snapshotStatus } from "../../ui/status/snapshot-status.js";
import { ChangeFigures } from "../../ui/status/change-figures.js";
import { StatusBadge } from "../../ui/status/status.js";
import { BesideCard } from "../../ui/beside/beside-card.js";
import { type Label, t } from "../../texts/text.js";
import { AfterFailure } from "./after-failure.js";
import { AssetCard } from "./asset-card.js";
import { HtmlCard } from "./html-card.js";
import { PreviewCard } from "./preview-card.js";
import { TraceCard } from "./trace-card.js";
import classes from "./snapshot.module.css";

interface Around {
  share?: React.ReactNode;
  /** Says that it is being deleted, where that is so. */
  notice?: React.ReactNode;
}

/** The page of one snapshot: what was stored, read only. */
export function SnapshotPage({ id, share, notice }: { id: string } & Around) {
  const query = useQuery({
    ...snapshotQuery(id),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnsettled(state.data) ? 2_000 : false),
  });
  const snapshot = query.data;
  usePageMeta(titleOf(snapshot), descriptionOf(snapshot), `/snapshots/${id}`);
  if (query.isPending) return <Loading />;
  // also where it was deleted while this page was open
  if (snapshot === undefined || isNotFound(query.error))
    return (
      <NotLoaded
        here={t("Snapshot")}
        missing={isNotFound(query.error) ? t("Snapshot not found.") : undefined}
        failed={t("Failed to load snapshot")}
        detail={query.error === null ? undefined : messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  return <Loaded snapshot={snapshot} share={share} notice={notice} />;
}

const titleOf = (snapshot: TestSnapshot | undefined) =>
  snapshot === undefined
    ? t("Snapshot")
    : t("Snapshot {number} of {name}", {
        number: String(snapshot.number),
        name: snapshot.testinstance.name || snapshot.testinstance.url,
      });

const descriptionOf = (snapshot: TestSnapshot | undefined) =>
  snapshot === undefined
    ? t("A page as it was stored.")
    : t("{url} as it was on {created_at}", {
        url: snapshot.testinstance.url,
        created_at: formatDate(snapshot.created_at),
      });

function Loaded({ snapshot, share, notice }: { snapshot: TestSnapshot } & Around) {
  const { testinstance: instance, testobject: object } = snapshot;
  const siblings = useQuery({ ...instanceSnapshotsQuery(instance.id), enabled: !isShared }).data?.testsnapshots ?? [];
  const isDone = snapshot.state === "done";
  const { whole, print } = usePrintWhole();
  return (
    <Page>
      <PageHead
        above={
          <Crumbs
            items={[
              { label: t("Objects"), to: "/" },
              { label: object.name, to: `/objects/${object.id}` },
              { label: instance.name || instance.url, to: `/instances/${instance.id}` },
              { label: `#${snapshot.number}` },
            ]}
          />
        }
        title={t("Snapshot {number}", { number: String(snapshot.number) })}
        below={<SiteLink url={snapshot.final_url ?? instance.url} />}
        actions={
          !isShared && (
            <Actions snapshot={snapshot} siblings={siblings}>
              {isDone && <PrintButton whole={whole} onPrint={print} />}
              {share}
            </Actions>
          )
        }
      />
      {notice !== undefined && notice !== false && <div className={classes["notice"]}>{notice}</div>}
      <State snapshot={snapshot} siblings={siblings} />
      <Facts snapshot={snapshot} />
      {isDone && <Stored snapshot={snapshot} whole={whole} />}
      {isUnsettled(snapshot) && !isDone && (
        <Empty title={t("Not fetched yet")}>{t("The page appears here as soon as it has been fetched.")}</Empty>
      )}
    </Page>
  );
}

type Siblings = readonly TestSnapshotSummary[];

interface ActionsProps {
  snapshot: TestSnapshot;
  siblings: Siblings;
  /** Content before the steps. */
  children: React.ReactNode;
}

/** The actions on a snapshot, and links to its neighbours. */
function Actions({ snapshot, siblings, children }: ActionsProps) {
  const at = siblings.findIndex((other) => other.id === snapshot.id);
  const previous = at < 0 ? undefined : siblings[at + 1];
  const next = at < 1 ? undefined : siblings[at - 1];
  const compared = siblings.find((other) => other.id === snapshot.compared_with);
  return (
    <>
      {children}
      <Step to={previous?.id} label={previous === undefined ? t("Older") : `#${previous.number}`} icon="left" />
      <Step to={next?.id} label={next === undefined ? t("Newer") : `#${next.number}`} icon="right" />
      {snapshot.compared_with !== null && snapshot.state === "done" && (
        <Button
          component={Link}
          to={`/diff?a=${snapshot.compared_with}&b=${snapshot.id}`}
          leftSection={<IconGitCompare size={15} aria-hidden />}
        >
          {t("Compare with #{number}", {
            number: String(compared?.number ?? Math.max(1, snapshot.number - 1)),
          })}
        </Button>
      )}
    </>
  );
}

/** Shows how its fetch ended, and what differs beside the HTML. */
function State({ snapshot, siblings }: Pick<ActionsProps, "snapshot" | "siblings">) {
  const status = snapshotStatus(snapshot);
  const [reason, warning] = [reasonOf(snapshot), warningOf(snapshot)];
  return (
    <>
      <div className={classes["state"]}>
        <StatusBadge status={status} pill detail={failureStatus(status, snapshot.http_status)} />
        {status === "changed" && (
          <ChangeFigures
            added={snapshot.lines_added}
            removed={snapshot.lines_removed}
            files={snapshot.files_changed}
            facts={snapshot.facts_changed}
            atMost={snapshot.coarse}
          />
        )}
      </div>
      {reason !== null && (
        <InlineError
          title={reason}
          action={
            snapshot.state === "failed" &&
            !isShared && <AfterFailure instance={snapshot.testinstance} siblings={siblings} />
          }
        />
      )}
      {warning !== null && <InlineError tone="changed" title={warning} />}
      {snapshot.compared_with !== null && !isShared && (
        <BesideCard
          facts={snapshot.changed_facts}
          files={snapshot.changed_files}
          filesTotal={snapshot.files_changed}
          pair={{ a: snapshot.compared_with, b: snapshot.id }}
        />
      )}
    </>
  );
}

/**
 * What was stored of the page.
 * @param whole whether all of it is being rendered for printing
 */
function Stored({ snapshot, whole }: { snapshot: TestSnapshot; whole: boolean }) {
  return (
    <>
      <PreviewCard snapshot={snapshot} />
      <AssetCard snapshot={snapshot} whole={whole} />
      <HtmlCard key={snapshot.id} snapshot={snapshot} />
      {!isShared && (
        <div data-screen-only>
          <TraceCard key={`trace ${snapshot.id}`} snapshot={snapshot} />
        </div>
      )}
      <Card title={t("Headers")} aside={headerCount(snapshot.headers)} className={classes["card"]}>
        <CodeView text={prettyHeaders(snapshot.headers)} label={t("Headers")} markup={false} />
      </Card>
    </>
  );
}

function Step({ to, label, icon }: { to: string | undefined; label: string; icon: "left" | "right" }) {
  const section =
    icon === "left"
      ? { leftSection: <IconArrowLeft size={15} aria-hidden /> }
      : { rightSection: <IconArrowRight size={15} aria-hidden /> };
  const name = icon === "left" ? t("Older snapshot") : t("Newer snapshot");
  if (to === undefined) {
    return (
      <Button variant="default" disabled aria-label={name} {...section}>
        {label}
      </Button>
    );
  }
  return (
    <Button component={Link} to={`/snapshots/${to}`} variant="default" aria-label={`${name} ${label}`} {...section}>
      {label}
    </Button>
  );
}

const loadedBy = { http: "HTTP, as served", browser: "Browser, after scripts ran" } as const;

function Facts({ snapshot }: { snapshot: TestSnapshot }) {
  const rows: readonly [Label, string, boolean?][] = [
    ["Created", formatDate(snapshot.created_at)],
    ["Fetched", formatDate(snapshot.fetched_at)],
    ["HTTP status", snapshot.http_status === null ? "-" : httpStatusText(snapshot.http_status)],
    ["Took", formatDuration(snapshot.duration_ms)],
    ["Loaded by", snapshot.fetch_mode_used === null ? "-" : t(loadedBy[snapshot.fetch_mode_used])],
    ["Charset", snapshot.charset ?? "-"],
    ["Id", snapshot.id, true],
    ["SHA-256", snapshot.html_sha256 ?? "-", true],
  ];
  return (
    <Card className={classes["card"]}>
      <dl className={classes["facts"]}>
        {rows.map(([label, value, mono]) => (
          <div key={label} className={mono === true ? classes["wide"] : undefined}>
            <dt className="label">{t(label)}</dt>
            <dd className={mono === true ? `mono ${classes["long"]}` : "dense"}>{value}</dd>
          </div>
        ))}
        {snapshot.redirects.length > 0 && (
          <div className={classes["whole"]}>
            <dt className="label">{t("Redirects")}</dt>
            {snapshot.redirects.map((redirect) => (
              <dd key={redirect.url} className={`mono ${classes["long"]}`}>
                {redirect.status} {redirect.url}
              </dd>
            ))}
          </div>
        )}
      </dl>
    </Card>
  );
}

function Loading() {
  return (
    <Page>
      <Waiting words={t("Loading snapshot…")}>
        <Skeleton height={20} width={180} radius={4} mb={10} />
        <Skeleton height={10} width={320} radius={3} mb={28} />
        <Skeleton height={96} radius={8} mb={16} />
        <Skeleton height={600} radius={8} />
      </Waiting>
    </Page>
  );
}
