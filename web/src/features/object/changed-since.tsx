import { Button, SegmentedControl, TextInput } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import type { InstanceChanges } from "@web-tester/contracts/entities/compare";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { changesQuery, type Since } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, EndLine, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { Path } from "../../ui/format/path.js";
import { allShown, counted, pathOf } from "../../ui/format/words.js";
import { toast } from "../../ui/toasts/toasts.js";
import { ChangeCounts } from "../../ui/status/status.js";
import { ShowMore } from "../../ui/layout/show-more.js";
import { reviewHelp } from "../../ui/format/ways-to-look.js";
import { t } from "../../texts/text.js";
import { ChangedFiles } from "./changed-files.js";
import classes from "./changed-since.module.css";

const periods = [
  { days: 1, label: "24 hours" },
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 365, label: "A year" },
] as const;
export const defaultDays = 7;

/** Reads a period from the address: one of the offered numbers of days, or a day; the default for anything else. */
export function asDays(text: string | null): Since {
  if (text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  return periods.find(({ days }) => String(days) === text)?.days ?? defaultDays;
}

interface Props {
  object: TestObject;
  days: Since;
  onDays: (days: Since) => void;
}

/** Lists which pages changed within a period, the latest change first: how often, how much, and between which two snapshots. */
export function ChangedSince({ object, days, onDays }: Props) {
  const query = useInfiniteQuery(changesQuery(object.id, days));
  const review = useReviewing(object.id);
  const first = query.data?.pages[0];
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div>
      <div className={classes["bar"]}>
        <Period days={days} onDays={onDays} />
        {first !== undefined && first.total > 0 && <Sums first={first} />}
        {first !== undefined && first.total > 0 && <ReviewButton review={review} since={first.since} />}
      </div>
      {query.isPending && (
        <div className={classes["waiting"]}>
          <Waiting words={t("Loading changes…")}>
            <RowSkeletons count={5} />
          </Waiting>
        </div>
      )}
      {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {first?.total === 0 && (
        <Empty title={t("Nothing changed in this time")}>
          {t(
            "A page counts as changed when a snapshot differs from the one before it. Choose a longer time, or fetch again.",
          )}
        </Empty>
      )}
      {first !== undefined && first.total > 0 && <ChangedFiles objectId={object.id} days={days} />}
      {items.length > 0 && (
        <ul className={classes["rows"]} aria-label={t("Pages that changed")}>
          {items.map((item) => (
            <ChangedRow key={item.instance.id} item={item} siteUrl={object.url} />
          ))}
        </ul>
      )}
      <ShowMore query={query} />
      {!query.hasNextPage && items.length > 0 && <EndLine>{allShown(items.length, "changed page")}</EndLine>}
    </div>
  );
}

/** Selects the period: one of the offered ones, or since a day. */
function Period({ days, onDays }: Pick<Props, "days" | "onDays">) {
  return (
    <>
      <SegmentedControl
        aria-label={t("Changed in the last")}
        value={String(days)}
        onChange={(value) => onDays(Number(value))}
        data={periods.map((period) => ({ value: String(period.days), label: t(period.label) }))}
      />
      <TextInput
        type="date"
        className={classes["date"]}
        aria-label={t("Changed since this day")}
        title={t("Changed since this day")}
        value={typeof days === "string" ? days : ""}
        max={today()}
        onChange={({ currentTarget: { value } }) => onDays(value === "" ? defaultDays : value)}
      />
    </>
  );
}

function Sums({ first }: { first: Response<"listChanges"> }) {
  return (
    <p className={classes["sums"]} aria-live="polite">
      <span>
        {t("{changes} on {pages}", {
          changes: counted(first.changes, "change"),
          pages: counted(first.total, "page"),
        })}
      </span>
      <ChangeCounts added={first.linesAdded} removed={first.linesRemoved} />
    </p>
  );
}

/** Starts a comparison of the whole site with its state at a time, and opens the review of it. */
function useReviewing(objectId: string) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (at: string) =>
      call("startComparison", { params: { id: objectId }, body: { from: { type: "time", at } } }),
    onSuccess: ({ runId }) => void navigate(`/runs/${runId}/review`),
    onError: (error) => toast("error", messageOf(error)),
  });
}

function ReviewButton({ review, since }: { review: ReturnType<typeof useReviewing>; since: string }) {
  return (
    <Needs call="startComparison">
      <Button
        size="xs"
        variant="default"
        loading={review.isPending}
        onClick={() => review.mutate(since)}
        title={t(reviewHelp)}
      >
        {t("Review")}
      </Button>
    </Needs>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className={classes["waiting"]}>
      <InlineError title={t("The changes could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />
    </div>
  );
}

/** Today's date in the reader's time zone. */
function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function ChangedRow({ item, siteUrl }: { item: InstanceChanges; siteUrl: string }) {
  const { instance, changes, firstAt, lastAt, before, last } = item;
  const label = instance.name || instance.url;
  return (
    <li className={classes["row"]}>
      <span className={classes["names"]}>
        <Link className={`truncate ${classes["name"]}`} to={`/instances/${instance.id}`} data-row title={label}>
          {label}
        </Link>
        <Path path={pathOf(instance.url, siteUrl)} title={instance.url} className={`text-2 ${classes["path"]}`} />
      </span>
      <span className={classes["count"]}>
        <span>{counted(changes, "change")}</span>
        {item.linesAdded + item.linesRemoved > 0 || item.coarse ? (
          <ChangeCounts added={item.linesAdded} removed={item.linesRemoved} atMost={item.coarse} />
        ) : (
          <span className="label">{t("outside the HTML")}</span>
        )}
      </span>
      <span className={`label ${classes["when"]}`}>
        {changes > 1 && <span>{t("first {at}", { at: formatDate(firstAt) })}</span>}
        <span>{changes > 1 ? t("last {at}", { at: formatDate(lastAt) }) : formatDate(lastAt)}</span>
      </span>
      {before !== null && (
        <Link
          className="link"
          to={`/diff?a=${before}&b=${last}`}
          aria-label={t("Compare all changes of {label}", { label })}
        >
          {t("Compare")}
        </Link>
      )}
    </li>
  );
}
