import "@mantine/core/styles/Code.layer.css";
import { Button, Code } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { badgeQuery } from "../../api/review-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { CopyButton } from "../../ui/copy-button.js";
import { useConfirm } from "../../ui/dialog/use-confirm.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { Card } from "../../ui/layout/card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./checks.module.css";

/** A card that makes a badge for a README, which shows how the newest check ended. The badge's address is secret and shown only once. */
export function BadgeCard({ id }: { id: string }) {
  const { url, made, query, make, remove } = useBadge(id);
  const [dialog, ask] = useConfirm();
  return (
    <Card title={t("Badge")}>
      <p className="text-2">
        {t(
          "An image with the result of the newest check. Anyone with its address sees that and the name of this test object, nothing else. The address is shown only once; a new one replaces it.",
        )}
      </p>
      {query.isError && (
        <InlineError
          title={t("Whether there is a badge could not be read")}
          detail={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      )}
      {url !== undefined ? (
        <div className={classes["badge"]}>
          <img src={new URL(url).pathname} alt={t("Badge")} height={20} />
          <Code className="truncate">{url}</Code>
          <CopyButton size="xs" text={() => url} label={t("Copy the address")} />
        </div>
      ) : (
        made !== null && (
          <p className={`label ${classes["badgeMade"]}`}>
            {t("Its address was made on {at}.", { at: formatDate(made) })}
          </p>
        )
      )}
      <div className={`${classes["acts"]} ${classes["badgeActs"]}`}>
        <Needs call="createBadge">
          <Button
            variant="default"
            disabled={!query.isSuccess}
            onClick={() => (made === null ? make() : ask(confirmations().renew, make))}
          >
            {made === null ? t("Make an address") : t("Make a new address")}
          </Button>
        </Needs>
        {made !== null && (
          <Needs call="deleteBadge">
            <Button variant="subtle" color="red" onClick={() => ask(confirmations().remove, remove)}>
              {t("Remove the address")}
            </Button>
          </Needs>
        )}
      </div>
      {dialog}
    </Card>
  );
}

const confirmations = () => ({
  renew: {
    title: t("Make a new address"),
    sentence: t("The badge disappears from every page that shows it by the present address."),
    losses: [],
  },
  remove: {
    title: t("Remove the address"),
    sentence: t("The badge disappears from every page that shows it."),
    losses: [],
  },
});

/**
 * Reads whether there is a badge, makes and removes its address.
 * @returns `url` until the page is left; `made`: when the address was made, null where there is none
 */
function useBadge(id: string) {
  const client = useQueryClient();
  const query = useQuery(badgeQuery(id));
  const onError = (error: Error) => toast("error", messageOf(error));
  const refresh = () => client.invalidateQueries({ queryKey: keys.badge(id) });
  const make = useMutation({
    mutationFn: () => call("createBadge", { params: { id }, body: {} }),
    onSuccess: refresh,
    onError,
  });
  const remove = useMutation({
    mutationFn: () => call("deleteBadge", { params: { id } }),
    onSuccess: async () => {
      make.reset();
      await refresh();
      toast("success", t("Badge address removed."));
    },
    onError,
  });
  return {
    url: make.data?.url,
    made: query.data?.created_at ?? null,
    query,
    make: () => make.mutate(),
    remove: () => remove.mutate(),
  };
}
