import { ActionIcon, SegmentedControl, Select, TextInput } from "@mantine/core";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { TestObject } from "@web-tester/contracts/entities/object";
import {
  type InstanceFilterName,
  instanceFilter,
  type InstanceOrder,
  instanceOrder,
} from "@web-tester/contracts/entities/vocabulary";
import { useQuery } from "@tanstack/react-query";
import { IconListCheck, IconSearch, IconSelector } from "@tabler/icons-react";
import { memo, useCallback } from "react";
import { useAddressParams, useTypedParam, withParam } from "../../ui/address-params.js";
import { Card } from "../../ui/layout/card.js";
import { type Label, t } from "../../texts/text.js";
import { asDays, ChangedSince, defaultDays } from "./changed-since.js";
import { allInstances } from "../../api/all-instances.js";
import type { InstanceView } from "../../api/keys.js";
import { instancePageQuery } from "../../api/queries.js";
import { DownloadMenu } from "../../ui/download/download-menu.js";
import { counted } from "../../ui/format/words.js";
import { instanceColumns } from "./instance-columns.js";
import { SelectionBar } from "./selection-bar.js";
import { useSelection } from "./use-selection.js";
import { InstanceRows } from "./instance-rows.js";
import classes from "./instances.module.css";

type Status = "all" | InstanceFilterName | "since";
const orders: { value: InstanceOrder | "eyes"; label: Label }[] = [
  { value: "eyes", label: "Most urgent" },
  { value: "name", label: "Name" },
  { value: "path", label: "Path" },
  { value: "fetched", label: "Fetched last" },
  { value: "changed", label: "Changed last" },
  { value: "size", label: "Largest" },
];
const asStatus = (text: string | null): Status =>
  text === "since" ? "since" : (instanceFilter.safeParse(text).data ?? "all");

interface Props {
  object: TestObject;
  disabled: boolean;
  onDelete: (instance: TestInstanceListItem) => void;
}

/** Filter, order and search text, which are in the address. */
function useFilters() {
  const [search, changeAddress] = useAddressParams();
  const [text, setText] = useTypedParam("q");
  const q = (search.get("q") ?? "").trim();

  const put = useCallback(
    (name: string, value: string) =>
      changeAddress((now) => withParam(now, name, value), { replace: true, preventScrollReset: true }),
    [changeAddress],
  );
  const status = asStatus(search.get("status"));
  const sort = instanceOrder.safeParse(search.get("sort")).data;
  const view: InstanceView = {
    status: status === "all" || status === "since" ? undefined : status,
    q: q === "" ? undefined : q,
    sort,
  };
  return { status, sort, view, days: asDays(search.get("days")), text, setText, put };
}

type Filters = ReturnType<typeof useFilters>;

/** The list of a site's pages, those that need attention first; filter and text are in the address. */
export const InstanceList = memo(function InstanceList({ object, disabled, onDelete }: Props) {
  const filters = useFilters();
  const { status, view, put } = filters;
  const selection = useSelection();
  const choose = (value: Status) => {
    selection.end();
    put("status", value === "all" ? "" : value);
  };
  const total = useQuery({ ...instancePageQuery(object.id, view, 0), enabled: false }).data?.total;

  return (
    <Card flush className={classes["list"]}>
      <header className={classes["head"]}>
        <StatusChoice object={object} status={status} onChoose={choose} />
        <Tools object={object} filters={filters} selection={selection} total={total} />
      </header>
      {selection.active && status !== "since" && (
        <SelectionBar object={object} view={view} selection={selection} total={total} disabled={disabled} />
      )}
      <Shown
        object={object}
        filters={filters}
        selection={selection}
        disabled={disabled}
        onDelete={onDelete}
        onChoose={choose}
      />
    </Card>
  );
});

interface ShownProps extends Props {
  filters: Filters;
  selection: ReturnType<typeof useSelection>;
  onChoose(status: Status): void;
}

/** The pages themselves, or those that changed since a day. */
function Shown({ object, filters, selection, disabled, onDelete, onChoose }: ShownProps) {
  const { status, sort, view, put } = filters;
  return status === "since" ? (
    <ChangedSince
      object={object}
      days={filters.days}
      onDays={(days) => put("days", days === defaultDays ? "" : String(days))}
    />
  ) : (
    <InstanceRows
      key={`${status} ${sort}`}
      object={object}
      view={view}
      selection={selection.active ? selection : undefined}
      disabled={disabled}
      onDelete={onDelete}
      onShowAll={() => {
        filters.setText("");
        onChoose("all");
      }}
    />
  );
}

interface StatusChoiceProps {
  object: TestObject;
  status: Status;
  onChoose(status: Status): void;
}

/** Selects which pages are shown: side by side, or on a phone one below the other. */
function StatusChoice({ object, status, onChoose }: StatusChoiceProps) {
  const choices = [
    { value: "all" as const, label: t("All {total}", { total: object.instances_total }) },
    { value: "changed" as const, label: t("Changed {total}", { total: object.status_counts.changed }) },
    { value: "since" as const, label: t("Changed since") },
    { value: "failed" as const, label: t("Failed {total}", { total: object.status_counts.failed }) },
    { value: "gone" as const, label: t("Gone") },
  ];
  return (
    <>
      <h2 className={classes["title"]}>{t("Instances")}</h2>
      <SegmentedControl
        aria-label={t("Show")}
        className={classes["wideOnly"]}
        value={status}
        onChange={onChoose}
        data={choices}
      />
      <Select
        aria-label={t("Show")}
        className={classes["phoneOnly"]}
        allowDeselect={false}
        withCheckIcon={false}
        value={status}
        onChange={(value) => onChoose(asStatus(value))}
        data={choices}
        rightSection={<IconSelector size={16} aria-hidden />}
      />
    </>
  );
}

interface ToolsProps {
  object: TestObject;
  filters: Filters;
  selection: ReturnType<typeof useSelection>;
  /** How many pages match; undefined until it is known. */
  total: number | undefined;
}

function Tools({ object, filters, selection, total }: ToolsProps) {
  const { status, sort, view, text, setText, put } = filters;
  const found = view.q === undefined || status === "since" ? undefined : total;
  return (
    <div className={classes["tools"]}>
      <TextInput
        data-filter
        aria-label={t("Filter by name or path")}
        placeholder={t("Filter by name or path")}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Found count={found} />}
        rightSectionWidth={found === undefined ? 0 : 108}
        rightSectionPointerEvents="none"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        className={classes["filter"]}
      />
      {status !== "since" && (
        <>
          <OrderSelect sort={sort} put={put} />
          <ChooseButton selection={selection} />
          <DownloadMenu
            name={t("{name}: pages", { name: object.name })}
            columns={instanceColumns}
            read={() => allInstances(object.id, view)}
          />
        </>
      )}
    </div>
  );
}

/**
 * Says how many pages match a text, near the field. It is rendered from the start, so that screen readers announce it once it has
 * words.
 */
const Found = ({ count }: { count: number | undefined }) => (
  <span role="status" className={classes["found"]}>
    {count !== undefined && counted(count, "instance")}
  </span>
);

function OrderSelect({ sort, put }: Pick<Filters, "sort" | "put">) {
  return (
    <Select
      aria-label={t("Order")}
      className={classes["order"]}
      allowDeselect={false}
      withCheckIcon={false}
      value={sort ?? "eyes"}
      onChange={(value) => put("sort", value === null || value === "eyes" ? "" : value)}
      data={orders.map(({ value, label }) => ({ value, label: t(label) }))}
      rightSection={<IconSelector size={16} aria-hidden />}
    />
  );
}

/** A button that begins and ends the selection of pages. */
function ChooseButton({ selection }: Pick<ToolsProps, "selection">) {
  return (
    <ActionIcon
      variant={selection.active ? "light" : "default"}
      aria-label={t("Choose pages")}
      title={t("Choose pages to fetch, ignore, delete or export")}
      aria-pressed={selection.active}
      onClick={selection.active ? selection.end : selection.begin}
    >
      <IconListCheck size={16} aria-hidden />
    </ActionIcon>
  );
}
