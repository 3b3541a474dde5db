import "@mantine/core/styles/Code.layer.css";
import { Button, Code, Modal, Select, Skeleton } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Feed } from "@web-tester/contracts/entities/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { feedsQuery } from "../../api/watch-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { CopyButton } from "../../ui/copy-button.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { useNotifications } from "./use-notifications.js";
import formClasses from "../../ui/layout/form.module.css";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./notifications.module.css";

/** The value of the select for all test objects; the others are ids. */
const all = "all";

/** A card of Atom feeds, which report what happens to feed readers. Each feed's address is shown only once. */
export function FeedsCard({ objects }: { objects: readonly TestObject[] }) {
  const { attempt } = useNotifications();
  const query = useQuery(feedsQuery());
  const [url, setUrl] = useState<string>();
  const [renewed, setRenewed] = useState<Feed>();
  const feeds = query.data?.items ?? [];
  const nameOf = ({ testobject_id: id }: Feed) =>
    id === null ? t("All test objects") : (objects.find((object) => object.id === id)?.name ?? "…");
  const make = (objectId: string | null) => {
    const made = call("createFeed", { body: { testobject_id: objectId } }).then((feed) => setUrl(feed.url));
    attempt(made, t("Feed address created."));
  };
  return (
    <Card title={t("Feeds")} aside={counted(feeds.length, "feed")} flush>
      {query.isPending && <Skeleton height={80} radius={8} />}
      {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && feeds.length === 0 && (
        <Empty title={t("No feeds yet")}>
          {t("Follow what happens in a feed reader (Atom). Create a feed to get its address.")}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Feeds")}>
        {feeds.map((feed) => (
          <FeedRow key={feed.id} feed={feed} name={nameOf(feed)} onRenew={() => setRenewed(feed)} />
        ))}
      </ul>
      <MakeForm objects={objects} feeds={feeds} onMake={make} />
      <AddressDialog url={url} onClose={() => setUrl(undefined)} />
      <RenewDialog
        name={renewed && nameOf(renewed)}
        onClose={() => setRenewed(undefined)}
        onRenew={() => renewed !== undefined && make(renewed.testobject_id)}
      />
    </Card>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The feeds could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

interface FeedRowProps {
  feed: Feed;
  /** What the feed is about. */
  name: string;
  onRenew: () => void;
}

function FeedRow({ feed, name, onRenew }: FeedRowProps) {
  const { attempt } = useNotifications();
  return (
    <li className={rowClasses["foldingRow"]}>
      <div>
        <span className={rowClasses["title"]}>{name}</span>
        <div className="label">{t("Address created {at}", { at: formatDate(feed.created_at) })}</div>
      </div>
      <div className={rowClasses["acts"]}>
        <Needs call="createFeed">
          <Button size="xs" variant="default" onClick={onRenew}>
            {t("New Address")}
          </Button>
        </Needs>
        <Needs call="deleteFeed">
          <Button
            size="xs"
            variant="default"
            onClick={() => attempt(call("deleteFeed", { params: { id: feed.id } }), t("Feed deleted."))}
          >
            {t("Delete")}
          </Button>
        </Needs>
      </div>
    </li>
  );
}

interface MakeFormProps {
  objects: readonly TestObject[];
  feeds: readonly Feed[];
  /** @param objectId null: about all test objects */
  onMake: (objectId: string | null) => void;
}

function MakeForm({ objects, feeds, onMake }: MakeFormProps) {
  const [about, setAbout] = useState(all);
  const isThere = feeds.some(({ testobject_id: id }) => (id ?? all) === about);
  return (
    <form
      className={rowClasses["foldingRow"]}
      onSubmit={(event) => {
        event.preventDefault();
        onMake(about === all ? null : about);
      }}
    >
      <Select
        aria-label={t("Feed about")}
        searchable
        allowDeselect={false}
        value={about}
        data={[
          { value: all, label: t("All test objects") },
          ...objects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(value) => setAbout(value ?? all)}
      />
      <Needs call="createFeed">
        <Button type="submit" variant="default" disabled={isThere}>
          {isThere ? t("Feed exists") : t("Make Feed")}
        </Button>
      </Needs>
    </form>
  );
}

function AddressDialog({ url, onClose }: { url: string | undefined; onClose: () => void }) {
  return (
    <Modal opened={url !== undefined} onClose={onClose} title={t("The feed's address")}>
      <p>{t("Anyone with this address can read the feed without signing in. It is shown only once: copy it now.")}</p>
      <Code block className={classes["address"]}>
        {url}
      </Code>
      <div className={formClasses["ends"]}>
        <CopyButton label={t("Copy")} text={() => url ?? ""} />
        <Button onClick={onClose}>{t("Done")}</Button>
      </div>
    </Modal>
  );
}

interface RenewProps {
  /** What the feed is about that gets a new address; undefined while none does. */
  name: string | undefined;
  onClose: () => void;
  onRenew: () => void;
}

function RenewDialog({ name, onClose, onRenew }: RenewProps) {
  return (
    <ConfirmDialog
      ask={
        name === undefined
          ? undefined
          : {
              title: t("New address"),
              sentence: t(
                "The current address of the feed of “{name}” stops working. Enter the new one in your feed readers.",
                { name },
              ),
              losses: [],
            }
      }
      onCancel={onClose}
      onConfirm={() => {
        onRenew();
        onClose();
      }}
    />
  );
}
