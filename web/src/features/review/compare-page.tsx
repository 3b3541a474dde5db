import { Button, type ComboboxItem, Radio, Select, Skeleton, TextInput } from "@mantine/core";
import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Run } from "@web-tester/contracts/entities/run";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { runsQuery, testObjectQuery, testObjectsQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

const hourMs = 3_600_000;

/** Formats a moment for `datetime-local` fields, in the browser's time zone. */
function localTime(moment: Date): string {
  const there = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return there.toISOString().slice(0, 16);
}

const yesterday = (): string => localTime(new Date(new Date().setHours(9, 0, 0, 0) - 24 * hourMs));

/** How many fetches can be selected, and how many earlier comparisons are listed. */
const shownRuns = 100;

/**
 * The page that compares all pages of a site at two times: selects what is compared with what.
 * @param to run of the fetch that is the newer side; null: the newest snapshots
 */
export function ComparePage({ id, to }: { id: string; to: string | null }) {
  const object = useQuery(testObjectQuery(useQueryClient(), id)).data;
  const runs = useQuery(runsQuery(id, ["snapshot-all"], shownRuns));
  usePageMeta(
    t("Compare {name}", { name: object?.name ?? t("a test object") }),
    t("A whole site at two times."),
    `/objects/${id}/compare`,
  );
  const fetches = runs.data?.items.filter(({ state }) => state !== "running") ?? [];
  const past = useQuery(runsQuery(id, ["compare"], shownRuns)).data?.items ?? [];
  return (
    <Page>
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Compare")} />}
        title={t("Compare the whole site")}
        below={<span className="text-2">{t("Pages that differ are reviewed like those of a fetch.")}</span>}
      />
      <div className={`${classes["sections"]} ${classes["below"]}`}>
        {runs.isPending && <Skeleton height={220} radius={8} />}
        {runs.isError && (
          <InlineError
            title={t("The fetches could not be loaded")}
            detail={messageOf(runs.error)}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.isSuccess && fetches.length === 0 && (
          <Empty title={t("Nothing was fetched yet")}>
            {t("Fetch all pages first; then there is something to compare.")}
          </Empty>
        )}
        {fetches.length > 0 && <CompareForm id={id} to={to} fetches={fetches} />}
        {past.length > 0 && <Past runs={past} />}
      </div>
    </Page>
  );
}

/** Lists earlier comparisons. */
function Past({ runs }: { runs: readonly Run[] }) {
  return (
    <Card title={t("Comparisons")} aside={counted(runs.length, "comparison")} flush>
      <ul className={classes["pages"]} aria-label={t("Comparisons")}>
        {runs.map((run) => (
          <li key={run.id} className={classes["page"]}>
            <Link className="link" to={`/runs/${run.id}/review`}>
              {formatDate(run.created_at)}
            </Link>
            <span>
              {run.changed === 0
                ? t("Nothing differs")
                : t("{pages} with differences", { pages: counted(run.changed, "page") })}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const ways = [
  { value: "previous", label: "The snapshots before", words: "Each page with the snapshot before its newest one." },
  { value: "baseline", label: "What was accepted", words: "Each page with the last snapshot that somebody accepted." },
  { value: "run", label: "A fetch~with", words: "The site as it was when a fetch had ended." },
  { value: "time", label: "A time", words: "The site as it was at a time." },
  {
    value: "object",
    label: "Another test object",
    words:
      "Such as staging with production: pages are matched by path, and addresses of one site count as those of the other.",
  },
] as const;
type Way = (typeof ways)[number]["value"];

function CompareForm({ id, to, fetches }: { id: string; to: string | null; fetches: readonly Run[] }) {
  const [way, setWay] = useState<Way>("time");
  const [newer, setNewer] = useState(to ?? "latest");
  const [older, setOlder] = useState(fetches.find((run) => run.id !== to)?.id ?? fetches[0]?.id ?? "");
  const [other, setOther] = useState("");
  const [at, setAt] = useState(yesterday);
  const start = useStart(id);
  const isWrong = way === "time" && Number.isNaN(new Date(at).getTime());
  const choices = fetches.map((run) => ({ value: run.id, label: fetchWords(run) }));
  const others = (useQuery(testObjectsQuery(useQueryClient())).data ?? []).filter((object) => object.id !== id);
  const submit = () =>
    start.mutate({
      from: sideOf(way, { older, other, at }),
      to: newer === "latest" || way === "object" ? { type: "latest" } : { type: "run", run_id: newer },
    });
  return (
    <Card title={t("What is compared")}>
      <form
        className={classes["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <NewerSelect value={newer} onChange={setNewer} choices={choices} way={way} />
        <WaySelect way={way} onChange={setWay} />
        {way === "run" && <FetchSelect value={older} onChange={setOlder} choices={choices} />}
        {way === "object" && <OtherSelect others={others} value={other} onChange={setOther} />}
        {way === "time" && <TimeInput value={at} onChange={setAt} isWrong={isWrong} />}
        <div className={classes["acts"]}>
          <Needs call="startComparison">
            <Button type="submit" loading={start.isPending} disabled={isWrong || (way === "object" && other === "")}>
              {t("Compare")}
            </Button>
          </Needs>
        </div>
      </form>
    </Card>
  );
}

/** Selects the newer side; in a comparison with another object it is always the newest snapshots. */
function NewerSelect({ value: newer, onChange, choices, way }: FetchSelectProps & { way: Way }) {
  return (
    <Select
      label={t("Compare")}
      allowDeselect={false}
      value={way === "object" ? "latest" : newer}
      disabled={way === "object"}
      data={[{ value: "latest", label: t("The newest snapshots") }, ...choices]}
      onChange={(value) => onChange(value ?? "latest")}
    />
  );
}

function WaySelect({ way, onChange }: { way: Way; onChange: (way: Way) => void }) {
  return (
    <Radio.Group
      label={t("With")}
      value={way}
      onChange={(value) => onChange(ways.find((one) => one.value === value)?.value ?? way)}
    >
      <div className={classes["ways"]}>
        {ways.map(({ value, label, words }) => (
          <Radio key={value} value={value} label={t(label)} description={t(words)} />
        ))}
      </div>
    </Radio.Group>
  );
}

/** Makes the older side from what was selected. */
function sideOf(way: Way, { older, other, at }: { older: string; other: string; at: string }): ComparedSide {
  if (way === "run") return { type: "run", run_id: older };
  if (way === "object") return { type: "object", testobject_id: other };
  return way === "time" ? { type: "time", at: new Date(at).toISOString() } : { type: way };
}

const fetchWords = (run: Run) =>
  `${run.label === null ? "" : `${run.label}: `}${formatDate(run.finished_at ?? run.created_at)}, ${counted(run.changed, "changed page")}`;

/** Starts a comparison and opens its review. */
function useStart(id: string) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (sides: { from: ComparedSide; to: ComparedSide }) =>
      call("startComparison", { params: { id }, body: sides }),
    onSuccess: ({ runId }) => void navigate(`/runs/${runId}/review`),
    onError: (error) => toast("error", messageOf(error)),
  });
}

interface SelectProps {
  value: string;
  onChange: (value: string) => void;
}

interface FetchSelectProps extends SelectProps {
  choices: ComboboxItem[];
}

function FetchSelect({ value, onChange, choices }: FetchSelectProps) {
  return (
    <Select
      label={t("Fetch~noun")}
      allowDeselect={false}
      value={value}
      data={choices}
      onChange={(chosen) => onChange(chosen ?? value)}
    />
  );
}

/** Selects another test object than this one. */
function OtherSelect({ others, value, onChange }: SelectProps & { others: readonly { id: string; name: string }[] }) {
  return (
    <Select
      label={t("Test object")}
      searchable
      allowDeselect={false}
      value={value}
      data={others.map((object) => ({ value: object.id, label: object.name }))}
      placeholder={others.length === 0 ? t("There is no other test object") : t("Choose one")}
      onChange={(chosen) => onChange(chosen ?? value)}
    />
  );
}

function TimeInput({ value, onChange, isWrong }: SelectProps & { isWrong: boolean }) {
  return (
    <TextInput
      type="datetime-local"
      label={t("Time")}
      value={value}
      max={localTime(new Date())}
      error={isWrong && t("Enter a day and a time")}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
