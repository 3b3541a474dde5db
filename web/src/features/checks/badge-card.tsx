import "@mantine/core/styles/Code.layer.css";
import { Button, Code } from "@mantine/core";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { Needs } from "../../ui/access/needs.js";
import { CopyButton } from "../../ui/copy-button.js";
import { Card } from "../../ui/layout/card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./checks.module.css";

/** A card that makes a badge for a README, which shows how the newest check ended. The badge's address is secret and shown only once. */
export function BadgeCard({ id }: { id: string }) {
  const { url, make, remove } = useBadge(id);
  return (
    <Card title={t("Badge")}>
      <p className="text-2">
        {t(
          "An image with the result of the newest check. Anyone with its address sees that and the name of this test object, nothing else. The address is shown only once; a new one replaces it.",
        )}
      </p>
      {url !== undefined && (
        <div className={classes["badge"]}>
          <img src={new URL(url).pathname} alt={t("Badge")} height={20} />
          <Code className="truncate">{url}</Code>
          <CopyButton size="xs" text={() => url} label={t("Copy the address")} />
        </div>
      )}
      <div className={`${classes["acts"]} ${classes["badgeActs"]}`}>
        <Needs call="createBadge">
          <Button variant="default" onClick={() => void make()}>
            {t("Make an address")}
          </Button>
        </Needs>
        <Needs call="deleteBadge">
          <Button variant="subtle" color="red" onClick={() => void remove()}>
            {t("Remove the address")}
          </Button>
        </Needs>
      </div>
    </Card>
  );
}

/** Makes and removes the badge; its address is known until the page is left. */
function useBadge(id: string) {
  const [url, setUrl] = useState<string>();
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      toast("error", messageOf(error));
    }
  };
  const make = () => attempt(async () => setUrl((await call("createBadge", { params: { id }, body: {} })).url));
  const remove = () =>
    attempt(async () => {
      await call("deleteBadge", { params: { id } });
      setUrl(undefined);
      toast("success", t("Badge address removed."));
    });
  return { url, make, remove };
}
