import { Button, CloseButton } from "@mantine/core";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { InstanceSelection } from "@web-tester/contracts/entities/removal";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { IconCamera, IconEyeOff, IconTrash } from "@tabler/icons-react";
import { allInstances } from "../../api/all-instances.js";
import type { InstanceView } from "../../api/keys.js";
import { Needs } from "../../ui/access/needs.js";
import type { Confirmation } from "../../ui/dialog/confirm-dialog.js";
import { useConfirm } from "../../ui/dialog/use-confirm.js";
import { DownloadMenu } from "../../ui/download/download-menu.js";
import { t } from "../../texts/text.js";
import { instanceColumns } from "./instance-columns.js";
import { useSelectedActions } from "./use-selected-actions.js";
import type { SelectionState } from "./use-selection.js";
import classes from "./selection.module.css";

interface Props {
  object: TestObject;
  view: InstanceView;
  selection: SelectionState;
  /** How many pages match the filter; undefined until it is known. */
  total: number | undefined;
  disabled: boolean;
}

/** The actions on the selected pages. */
export function SelectionBar({ object, view, selection, total, disabled }: Props) {
  const [dialog, ask] = useConfirm();
  const chosen = [...selection.chosen.values()];
  const count = selection.all ? (total ?? 0) : chosen.length;
  const actions = useSelectedActions(object, meantBy(selection, view), selection.end);
  const idle = count === 0 || disabled || actions.busy;
  return (
    <div className={classes["bar"]} role="region" aria-label={t("Chosen pages")}>
      <span className={classes["count"]} aria-live="polite">
        {t("{n} chosen~pages", { n: count })}
      </span>
      {!selection.all && total !== undefined && total > chosen.length && (
        <Button size="xs" variant="subtle" onClick={selection.chooseAll}>
          {t("Choose all {n}", { n: total })}
        </Button>
      )}
      <span className={classes["acts"]}>
        <Act
          call="snapshotSelected"
          Icon={IconCamera}
          disabled={idle || object.progress.snapshotAll.running}
          onAct={actions.fetch}
        >
          {t("Fetch")}
        </Act>
        <IgnoreButton
          object={object}
          selection={selection}
          disabled={idle}
          onIgnore={(paths) => ask(questions.ignore(chosen), () => actions.ignore(paths))}
        />
        <Act
          call="deleteSelected"
          Icon={IconTrash}
          disabled={idle}
          onAct={() => ask(questions.delete(count, selection.all ? undefined : chosen), actions.delete)}
        >
          {t("Delete")}
        </Act>
        <DownloadMenu
          name={t("{name}: chosen pages", { name: object.name })}
          columns={instanceColumns}
          disabled={count === 0}
          read={() => (selection.all ? allInstances(object.id, view) : chosen)}
        />
        <CloseButton aria-label={t("Stop choosing")} onClick={selection.end} />
      </span>
      {dialog}
    </div>
  );
}

function meantBy(selection: SelectionState, view: InstanceView): InstanceSelection {
  if (!selection.all) return { ids: [...selection.chosen.values()].map(({ id }) => id) };
  return {
    ...(view.status === undefined ? {} : { status: view.status }),
    ...(view.q === undefined ? {} : { q: view.q }),
  };
}

interface ActProps {
  call: "snapshotSelected" | "deleteSelected";
  Icon: typeof IconCamera;
  disabled: boolean;
  title?: string;
  onAct: () => void;
  children: React.ReactNode;
}

function Act({ call, Icon, disabled, title, onAct, children }: ActProps) {
  return (
    <Needs call={call}>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon size={14} aria-hidden />}
        disabled={disabled}
        title={title}
        onClick={onAct}
      >
        {children}
      </Button>
    </Needs>
  );
}

interface IgnoreProps extends Pick<Props, "object" | "selection" | "disabled"> {
  onIgnore: (paths: readonly string[]) => void;
}

/** Excludes the selected pages from crawls, as long as the list of exclude patterns has room for their paths. */
function IgnoreButton({ object, selection, disabled, onIgnore }: IgnoreProps) {
  const paths = [...new Set([...selection.chosen.values()].map(({ url }) => patternOf(url)))];
  const tooMany = selection.all || paths.length + object.exclude_list.length > limits.excludePatternsMax;
  return (
    <Act
      call="deleteSelected"
      Icon={IconEyeOff}
      disabled={disabled || tooMany}
      title={
        tooMany
          ? t("Too many for the exclude patterns: choose fewer pages, or write one pattern for them in Options")
          : t("Leave these pages out of crawls from now on, and delete them")
      }
      onAct={() => onIgnore(paths)}
    >
      {t("Ignore~page")}
    </Act>
  );
}

/** The exclude pattern of exactly one page. */
const patternOf = (url: string) => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

const snapshotsOf = (pages: readonly TestInstanceListItem[]) =>
  pages.reduce((sum, page) => sum + page.snapshots_total, 0);

const questions = {
  delete: (count: number, pages: readonly TestInstanceListItem[] | undefined): Confirmation => ({
    title: count === 1 ? t("Delete instance") : t("Delete instances"),
    sentence: t(
      "Are you sure you want to delete {n} page? This will delete all its snapshots.|Are you sure you want to delete {n} pages? This will delete all their snapshots.",
      { n: count },
    ),
    losses: [
      { label: t("Instances"), count },
      ...(pages === undefined ? [] : [{ label: t("Snapshots"), count: snapshotsOf(pages) }]),
    ],
  }),
  ignore: (pages: readonly TestInstanceListItem[]): Confirmation => ({
    title: t("Ignore pages"),
    sentence: t(
      "Leave {n} page out of crawls from now on? Its path is added to the exclude patterns in Options, and the page is deleted with its snapshots.|Leave {n} pages out of crawls from now on? Their paths are added to the exclude patterns in Options, and the pages are deleted with their snapshots.",
      { n: pages.length },
    ),
    losses: [
      { label: t("Instances"), count: pages.length },
      { label: t("Snapshots"), count: snapshotsOf(pages) },
    ],
  }),
};
