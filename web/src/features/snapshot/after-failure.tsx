import { Button } from "@mantine/core";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconRefresh } from "@tabler/icons-react";
import { Link, useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { keys } from "../../api/keys.js";
import { newSnapshot } from "../../api/new-snapshot.js";
import { Needs } from "../../ui/access/needs.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import classes from "./snapshot.module.css";

interface Props {
  instance: { id: string };
  /** The page's snapshots, newest first. */
  siblings: readonly TestSnapshotSummary[];
}

/** Offers what can be done about a failed snapshot: fetch the page again, or open the last good one. */
export function AfterFailure({ instance, siblings }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const again = useMutation({
    mutationFn: () => newSnapshot(client, instance.id),
    onSuccess: (id) => {
      toast("info", t("Snapshot queued"));
      void client.invalidateQueries({ queryKey: keys.instance(instance.id) });
      void navigate(`/snapshots/${id}`);
    },
    onError: (error) => {
      const message = messageOf(error);
      toast("error", message.includes("Failed to") ? message : t("Failed to create snapshot: {message}", { message }));
    },
  });
  const lastGood = siblings.find(({ state }) => state === "done");
  return (
    <div className={classes["after"]}>
      {lastGood !== undefined && (
        <Link className="link" to={`/snapshots/${lastGood.id}`}>
          {t("Last good snapshot: #{number}", { number: String(lastGood.number) })}
        </Link>
      )}
      <Needs call="createTestSnapshot">
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {t("Fetch again")}
        </Button>
      </Needs>
    </div>
  );
}
