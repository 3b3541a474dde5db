import "@mantine/core/styles/Code.layer.css";
import { Button, Code, Modal, Select, Skeleton, TextInput } from "@mantine/core";
import type { ShareLink } from "@web-tester/contracts/entities/access";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { sharesQuery } from "../../api/access-queries.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { sessionQuery } from "../../api/queries.js";
import { type Label, t } from "../../texts/text.js";
import { CopyButton } from "../../ui/copy-button.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatDate, formatRelative } from "../../ui/format/dates.js";
import { toast } from "../../ui/toasts/toasts.js";
import { shareAddress, type ShareOf, shareTitles } from "./share-of.js";
import classes from "./sharing.module.css";

/** How long a link is valid, in hours. */
const sharePresets = [
  { value: "24", label: "A day" },
  { value: "168", label: "A week" },
  { value: "720", label: "30 days" },
  { value: "2160", label: "90 days" },
  { value: "8760", label: "A year" },
] as const satisfies readonly { value: string; label: Label }[];

/** A dialog that makes a link which shows one thing to whoever has it, and lists existing links. */
export default function ShareDialog({ of, onClose }: { of: ShareOf; onClose: () => void }) {
  const [made, setMade] = useState<string>();
  const session = useQuery(sessionQuery()).data;
  return (
    <Modal opened onClose={onClose} size={560} title={<b>{t(shareTitles[of.kind])}</b>}>
      <div className={classes["dialog"]}>
        <p className="text-2">
          {t("Anyone with the link can see this and nothing else, without signing in, and cannot change anything.")}
        </p>
        {session?.open === true && (
          <p className={classes["note"]}>
            {t(
              "This server can be reached only from this machine, so nobody else can open the link. Create a token under Access and set HOST to let others in.",
            )}
          </p>
        )}
        {made === undefined ? <MakeForm of={of} onMade={setMade} /> : <Made address={made} />}
        <LiveLinks of={of} />
      </div>
    </Modal>
  );
}

function MakeForm({ of, onMade }: { of: ShareOf; onMade: (address: string) => void }) {
  const { fault, making, make } = useMaking(of, onMade);
  const [hours, setHours] = useState<string>("168");
  const [note, setNote] = useState("");
  return (
    <form
      className={classes["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        void make(Number(hours), note.trim());
      }}
    >
      <Select
        label={t("Valid for")}
        data-autofocus
        allowDeselect={false}
        value={hours}
        data={sharePresets.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(value) => setHours(value ?? "168")}
      />
      <TextInput
        label={t("For whom")}
        placeholder={t("Optional; only you and your colleagues see it")}
        maxLength={200}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Button type="submit" loading={making}>
        {t("Make Link")}
      </Button>
      {fault !== undefined && (
        <p role="alert" className={classes["fault"]}>
          {fault}
        </p>
      )}
    </form>
  );
}

function useMaking(of: ShareOf, onMade: (address: string) => void) {
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [making, setMaking] = useState(false);
  const make = async (hours: number, note: string) => {
    setMaking(true);
    try {
      const { secret } = await call("createShare", { body: { ...of, hours, note } });
      onMade(shareAddress(location.origin, secret));
      await client.invalidateQueries({ queryKey: keys.shares({ ...of }) });
    } catch (error) {
      setFault(messageOf(error));
      setMaking(false);
    }
  };
  return { fault, making, make };
}

function Made({ address }: { address: string }) {
  return (
    <div className={classes["made"]}>
      <p>{t("The link is shown only once: copy it now.")}</p>
      <Code block className={classes["address"]} data-secret>
        {address}
      </Code>
      <CopyButton label={t("Copy Link")} text={() => address} />
    </div>
  );
}

/** Lists the links to this thing that are still valid; their secrets are not known any more. */
function LiveLinks({ of }: { of: ShareOf }) {
  const client = useQueryClient();
  const session = useQuery(sessionQuery()).data;
  const query = useQuery(sharesQuery(of));
  const links = query.data?.items.filter(({ state }) => state === "active") ?? [];
  const end = async (link: ShareLink) => {
    try {
      await call("revokeShare", { params: { id: link.id } });
      toast("success", t("The link no longer works."));
    } catch (error) {
      toast("error", messageOf(error));
    }
    await client.invalidateQueries({ queryKey: keys.shares({ ...of }) });
  };
  const isAdmin = session?.actor?.role === "admin";
  return (
    <section aria-label={t("Links of this")}>
      <h3 className={classes["heading"]}>{t("Links of this")}</h3>
      {query.isPending && <Skeleton height={40} radius={8} />}
      {query.isError && (
        <InlineError
          title={t("The links could not be loaded")}
          detail={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && links.length === 0 && <p className="text-2">{t("There are none.")}</p>}
      <ul className={classes["links"]}>
        {links.map((link) => (
          <LinkRow key={link.id} link={link} mayEnd={link.own || isAdmin} onEnd={() => void end(link)} />
        ))}
      </ul>
    </section>
  );
}

interface LinkRowProps {
  link: ShareLink;
  mayEnd: boolean;
  onEnd: () => void;
}

function LinkRow({ link, mayEnd, onEnd }: LinkRowProps) {
  return (
    <li className={classes["link"]}>
      <div>
        <div>{link.note === "" ? t("Made by {who}", { who: link.made_by }) : link.note}</div>
        <div className="label">
          {link.note !== "" && `${t("Made by {who}", { who: link.made_by })}, `}
          {formatDate(link.created_at)}, {t("ends {ago}", { ago: formatRelative(link.expires_at, Date.now()) })} (
          {formatDate(link.expires_at)}),{" "}
          {link.last_used_at === null
            ? t("never opened")
            : t("last opened {ago}", { ago: formatRelative(link.last_used_at, Date.now()) })}
        </div>
      </div>
      {mayEnd && (
        <Button
          size="xs"
          variant="default"
          aria-label={t("End the link {what}", { what: link.note || formatDate(link.created_at) })}
          onClick={onEnd}
        >
          {t("End")}
        </Button>
      )}
    </li>
  );
}
