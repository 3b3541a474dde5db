import { ActionIcon, Button, Menu } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import {
  IconArrowsExchange,
  IconAlertTriangleFilled,
  IconBell,
  IconCamera,
  IconClock,
  IconDots,
  IconFileDiff,
  IconGitCompare,
  IconCopy,
  IconRosette,
  IconPencil,
  IconRoute,
  IconTrash,
  IconEyeOff,
} from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { Needs } from "../../ui/access/needs.js";
import { Moment } from "../../ui/format/moment.js";
import { bulkHelp, reviewHelp } from "../../ui/format/ways-to-look.js";
import { formatCount } from "../../ui/format/words.js";
import { ButtonMenu } from "../../ui/menu/button-menu.js";
import { Crumbs, PageHead, SiteLink } from "../../ui/layout/page.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { type Label, t } from "../../texts/text.js";
import { useDuplicate } from "./use-duplicate.js";
import { EditObject } from "./edit-object.js";
import type { ObjectActions } from "./use-object-actions.js";
import classes from "./object.module.css";

interface Props {
  object: TestObject;
  actions: ObjectActions;
  onDelete: () => void;
}

/** The head of the page: name, address and the next actions. */
export function ObjectHead({ object, actions, onDelete }: Props) {
  const [isEditing, setEditing] = useState(false);
  const busy = object.deleting || object.progress.deletion.running;
  return (
    <PageHead
      above={<Crumbs items={[{ label: t("Objects"), to: "/" }, { label: object.name }]} />}
      title={object.name}
      below={<SiteLink url={object.url} />}
      actions={
        <div className={classes["headActions"]}>
          <MoreMenu object={object} busy={busy} onEdit={() => setEditing(true)} onDelete={onDelete} />
          {isEditing && <EditObject object={object} onClose={() => setEditing(false)} />}
          <CrawlButton object={object} actions={actions} busy={busy} />
          {object.instances_total > 0 && <FetchAllButton object={object} actions={actions} busy={busy} />}
          {object.status_counts.changed + (object.review?.waiting ?? 0) > 0 && <ReviewButton object={object} />}
        </div>
      }
    />
  );
}

/** The screens of an object that its menu links to. */
const places: readonly { path: string; label: Label; Icon: typeof IconDots }[] = [
  { path: "rules", label: "Ignore rules", Icon: IconEyeOff },
  { path: "schedules", label: "Schedules", Icon: IconClock },
  { path: "compare", label: "Compare the whole site", Icon: IconGitCompare },
  { path: "checks", label: "Checks of releases", Icon: IconRosette },
  { path: "lifecycle", label: "Pages that came and went", Icon: IconArrowsExchange },
];

interface MenuProps extends Pick<Props, "object" | "onDelete"> {
  busy: boolean;
  onEdit: () => void;
}

function MoreMenu({ object, busy, onEdit, onDelete }: MenuProps) {
  const duplicate = useDuplicate(object);
  return (
    <ButtonMenu
      width={240}
      button={
        <ActionIcon variant="default" aria-label={t("More")} className={classes["dots"]} data-corner>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      <Needs call="updateTestObject">
        <Menu.Item leftSection={<IconPencil size={15} aria-hidden />} onClick={onEdit}>
          {t("Name and address")}
        </Menu.Item>
      </Needs>
      <DuplicateItem duplicate={duplicate} />
      {places.map(({ path, label, Icon }) => (
        <LinkItem key={path} to={`/objects/${object.id}/${path}`} Icon={Icon}>
          {t(label)}
        </LinkItem>
      ))}
      <LinkItem to={`/notifications?about=${object.id}`} Icon={IconBell}>
        {t("Notifications")}
      </LinkItem>
      <Needs call="deleteTestObject">
        <Menu.Item leftSection={<IconTrash size={15} aria-hidden />} onClick={onDelete} disabled={busy}>
          {t("Delete object")}
        </Menu.Item>
      </Needs>
    </ButtonMenu>
  );
}

function LinkItem({ to, Icon, children }: { to: string; Icon: typeof IconDots; children: React.ReactNode }) {
  return (
    <Menu.Item component={Link} to={to} leftSection={<Icon size={15} aria-hidden />}>
      {children}
    </Menu.Item>
  );
}

function DuplicateItem({ duplicate }: { duplicate: ReturnType<typeof useDuplicate> }) {
  return (
    <Needs call="createTestObject">
      <Menu.Item
        leftSection={<IconCopy size={15} aria-hidden />}
        disabled={duplicate.isPending}
        onClick={() => duplicate.mutate()}
      >
        {t("Duplicate")}
      </Menu.Item>
    </Needs>
  );
}

interface ButtonProps extends Pick<Props, "object" | "actions"> {
  busy: boolean;
}

function CrawlButton({ object, actions, busy }: ButtonProps) {
  const crawling = object.progress.crawl.running;
  return (
    <Needs call="crawl">
      <WorkButton
        variant={object.instances_total === 0 ? "filled" : "default"}
        leftSection={<IconRoute size={15} aria-hidden />}
        disabled={crawling || busy}
        isWorking={actions.crawl.isPending}
        onClick={() => actions.crawl.mutate()}
        title={t("Follows the links of the site to find its pages")}
      >
        {crawling ? t("Crawling…") : t("Crawl")}
      </WorkButton>
    </Needs>
  );
}

function FetchAllButton({ object, actions, busy }: ButtonProps) {
  const fetching = object.progress.snapshotAll.running;
  return (
    <Needs call="snapshotAll">
      <WorkButton
        variant={object.snapshots_total === 0 ? "filled" : "default"}
        leftSection={<IconCamera size={15} aria-hidden />}
        disabled={fetching || busy}
        isWorking={actions.fetchAll.isPending}
        onClick={() => actions.fetchAll.mutate()}
        aria-label={fetching ? t("Fetching all pages…") : t("Fetch all pages")}
        title={t("Takes a new snapshot of every page")}
      >
        {fetching ? t("Fetching all…") : t("Fetch All")}
      </WorkButton>
    </Needs>
  );
}

/**
 * Links to the changes: to their review, which is the next action until no change waits for it, or to the bulk diff where a fetch has
 * no review.
 */
function ReviewButton({ object }: Pick<Props, "object">) {
  const { id, review, status_counts } = object;
  const words =
    review === null
      ? t("Bulk Diff of {n} change|Bulk Diff of {n} changes", { n: status_counts.changed })
      : review.waiting === 0
        ? t("Changes reviewed")
        : t("Review {n} change|Review {n} changes", { n: review.waiting });
  return (
    <Button
      component={Link}
      variant={review?.waiting === 0 ? "default" : "filled"}
      to={review === null ? `/diff/bulk?bulk=${id}&idx1=1&idx2=0` : `/runs/${review.run_id}/review`}
      leftSection={<IconGitCompare size={15} aria-hidden />}
      title={review === null ? t(bulkHelp) : t(reviewHelp)}
    >
      {words}
    </Button>
  );
}

/** The object's numbers in one row. */
export function Facts({ object }: { object: TestObject }) {
  const { changed, failed } = object.status_counts;
  const running = object.progress.snapshotAll.running;
  const last = object.history.at(-1);
  return (
    <dl className={classes["facts"]}>
      <Fact label={t("Instances")} to={`/objects/${object.id}`}>
        {formatCount(object.instances_total)}
      </Fact>
      <Fact label={t("Snapshots")}>{formatCount(object.snapshots_total)}</Fact>
      <Fact
        label={running ? t("Changed so far") : t("Changed")}
        to={changed > 0 ? `/objects/${object.id}?status=changed` : undefined}
        icon={changed > 0 ? <IconFileDiff size={16} data-icon data-tone="changed" aria-hidden /> : undefined}
      >
        {formatCount(changed)}
      </Fact>
      <Fact
        label={running ? t("Failed so far") : t("Failed")}
        to={failed > 0 ? `/objects/${object.id}?status=failed` : undefined}
        icon={failed > 0 ? <IconAlertTriangleFilled size={16} data-icon data-tone="failed" aria-hidden /> : undefined}
      >
        {formatCount(failed)}
      </Fact>
      <Fact label={t("Last finished fetch")} to={last === undefined ? undefined : `/runs/${last.id}/review`}>
        <Moment at={last?.finished_at} />
      </Fact>
    </dl>
  );
}

function Fact({
  label,
  icon,
  to,
  children,
}: {
  label: string;
  icon?: React.ReactNode;
  /** The address of the list of what is counted. */
  to?: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {icon}
        {to === undefined ? (
          children
        ) : (
          <Link to={to} className={classes["factLink"]} preventScrollReset>
            {children}
          </Link>
        )}
      </dd>
    </div>
  );
}
