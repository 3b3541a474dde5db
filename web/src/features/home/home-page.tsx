import { SegmentedControl, TextInput } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { useLiveObjects } from "../../api/live/use-live.js";
import { testObjectsQuery } from "../../api/queries.js";
import { EndLine, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { allShown, counted, someShown } from "../../ui/format/words.js";
import { useAddressParams, useTypedParam, withParam } from "../../ui/address-params.js";
import { Card } from "../../ui/layout/card.js";
import { Page } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { AllDays } from "./all-days.js";
import { EmptyHome } from "./empty-home.js";
import { NewObjectForm } from "./new-object-form.js";
import { ObjectRows } from "./object-rows.js";
import { type ObjectFilter, byUrgency, matches, totalsOf } from "./object-list.js";
import { NextRuns } from "./next-runs.js";
import { StorageCard } from "./storage-card.js";
import classes from "./home.module.css";
import list from "./object-list.module.css";

const asFilter = (text: string | null): ObjectFilter => (text === "changed" || text === "failing" ? text : "all");

/** The home page: the list of test objects, the form that makes one, and storage. */
export function HomePage() {
  usePageMeta(t("Objects"), t("Sites under watch and what changed on them."), "/");
  const client = useQueryClient();
  const objects = useQuery(testObjectsQuery(client));
  const [filter, setFilter] = useFilter();
  const [text, setText] = useTypedParam("q");
  useLiveObjects((objects.data ?? []).map((object) => object.id));

  const all = objects.data ?? [];
  const totals = totalsOf(all);
  const isEmpty = objects.isSuccess && all.length === 0;

  return (
    <Page>
      <h1 className="title">{t("Objects")}</h1>
      <p className={`text-2 ${classes["summary"]}`}>
        <Summary {...totals} objects={all.length} />
      </p>
      <NextRuns />
      <AllDays />
      <div className={classes["grid"]}>
        <NewObjectForm autoFocus={isEmpty} />
        <StorageCard />
        <section className={classes["list"]} aria-label={t("Test objects")}>
          <NotLoaded objects={objects} />
          {isEmpty && <EmptyHome />}
          {all.length > 0 && (
            <ObjectList all={all} totals={totals} filter={filter} onFilter={setFilter} text={text} onText={setText} />
          )}
        </section>
      </div>
    </Page>
  );
}

/** The filter of the list, which is in the address. */
function useFilter(): [ObjectFilter, (shown: ObjectFilter) => void] {
  const [search, changeAddress] = useAddressParams();
  const setFilter = (shown: ObjectFilter) =>
    changeAddress((now) => withParam(now, "show", shown === "all" ? "" : shown), {
      replace: true,
      preventScrollReset: true,
    });
  return [asFilter(search.get("show")), setFilter];
}

/** Shown while the objects are loading, or where they could not be loaded. */
function NotLoaded({ objects }: { objects: UseQueryResult<unknown> }) {
  return (
    <>
      {objects.isPending && (
        <Card flush className={classes["loading"]}>
          <Waiting words={t("Loading test objects…")}>
            <RowSkeletons count={12} />
          </Waiting>
        </Card>
      )}
      {objects.isError && (
        <InlineError
          title={t("The test objects could not be loaded")}
          detail={messageOf(objects.error)}
          onRetry={() => void objects.refetch()}
        />
      )}
    </>
  );
}

interface ObjectListProps {
  all: readonly TestObject[];
  totals: ReturnType<typeof totalsOf>;
  filter: ObjectFilter;
  onFilter: (filter: ObjectFilter) => void;
  text: string;
  onText: (text: string) => void;
}

/** The objects that match the filter, most urgent first. */
function ObjectList({ all, totals, filter, onFilter, text, onText }: ObjectListProps) {
  const shown = all.filter((object) => matches(object, filter, text)).toSorted(byUrgency);
  return (
    <>
      <div className={classes["tools"]}>
        <SegmentedControl
          aria-label={t("Show")}
          value={filter}
          onChange={onFilter}
          data={[
            { value: "all" as const, label: t("All {total}", { total: all.length }) },
            { value: "changed" as const, label: t("Changed {total}", { total: totals.withChanges }) },
            { value: "failing" as const, label: t("Failing {total}", { total: totals.withFailures }) },
          ]}
        />
        <TextInput
          data-filter
          aria-label={t("Filter by name or URL")}
          placeholder={t("Filter by name or URL")}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          className={classes["filter"]}
        />
      </div>
      <Card flush>
        <Columns />
        <ObjectRows objects={shown} />
        {shown.length === 0 && <p className={`dense text-3 ${list["none"]}`}>{t("No object matches this filter.")}</p>}
      </Card>
      <EndLine>
        {shown.length === all.length
          ? `${allShown(all.length, "object")}${all.length > 1 ? `, ${t("most urgent first")}` : ""}`
          : someShown(shown.length, all.length, "object")}
      </EndLine>
    </>
  );
}

function Columns() {
  return (
    <div className={list["columns"]} aria-hidden>
      <span />
      <span>{t("Object")}</span>
      <span className={list["right"]}>{t("Instances")}</span>
      <span>{t("Changes, last 14 runs")}</span>
      <span>{t("Last result")}</span>
      <span className={list["right"]}>{t("Last run")}</span>
      <span />
    </div>
  );
}

function Summary({
  objects,
  instances,
  changed,
  failing,
}: {
  objects: number;
  instances: number;
  changed: number;
  failing: number;
}) {
  if (objects === 0) return t("Sites under watch and what changed on them.");
  return (
    <>
      {counted(objects, "object")}, {counted(instances, "instance")}.{" "}
      {changed + failing > 0 && (
        <span className={classes["runs"]}>
          {t("Last runs:")}{" "}
          {changed > 0 && (
            <Link to="/?show=changed" className="link" preventScrollReset>
              <b data-tone="changed">{t("{changed} changed", { changed })}</b>
            </Link>
          )}
          {changed > 0 && failing > 0 && ", "}
          {failing > 0 && (
            <Link to="/?show=failing" className="link" preventScrollReset>
              <b data-tone="failed">{t("{failing} failing", { failing })}</b>
            </Link>
          )}
          .
        </span>
      )}
    </>
  );
}
