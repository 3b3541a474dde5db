import { Button } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { IconCamera } from "@tabler/icons-react";
import { useState } from "react";
import { Needs } from "../../ui/access/needs.js";
import { Card } from "../../ui/layout/card.js";
import { SearchableSelect } from "../../ui/searchable-select.js";
import { toast } from "../../ui/toasts/toasts.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { t } from "../../texts/text.js";
import { useChoices } from "./use-choices.js";
import type { ObjectActions } from "./use-object-actions.js";
import classes from "./rail.module.css";

interface Props {
  object: TestObject;
  actions: ObjectActions;
  /** Whether a deletion is going on, so that nothing may be started. */
  disabled: boolean;
  onDelete: () => void;
}

/** A card to fetch one page, fetch all, or delete what was fetched. */
export function SnapshotsCard({ object, actions, disabled, onDelete }: Props) {
  const fetching = object.progress.snapshotAll.running;
  const isNextStep = object.instances_total > 0 && object.snapshots_total === 0;
  return (
    <Card title={t("Snapshots")}>
      <p className={`dense text-2 ${classes["help"]}`}>
        {t("Fetch takes a new snapshot of one instance, Fetch All one of each.")}
      </p>
      <FetchOne object={object} actions={actions} disabled={disabled} />
      <div className={classes["ends"]}>
        <Needs call="snapshotAll">
          <WorkButton
            variant={isNextStep ? "filled" : "default"}
            leftSection={<IconCamera size={15} aria-hidden />}
            disabled={disabled || fetching || object.instances_total === 0}
            isWorking={actions.fetchAll.isPending}
            onClick={() => actions.fetchAll.mutate()}
          >
            {fetching ? t("Fetching all…") : t("Fetch All")}
          </WorkButton>
        </Needs>
        <Needs call="deleteSnapshots">
          <Button variant="subtle" disabled={disabled || object.snapshots_total === 0} onClick={onDelete}>
            {t("Delete Snapshots")}
          </Button>
        </Needs>
      </div>
    </Card>
  );
}

/** Fetches a new snapshot of one instance, which is selected by name. */
function FetchOne({ object, actions, disabled }: Omit<Props, "onDelete">) {
  const [chosen, setChosen] = useState<string | null>(null);
  const choices = useChoices(object.id);
  const fetchChosen = () => {
    if (chosen === null) toast("warning", t("Please select an instance to fetch."));
    else actions.fetchOne.mutate(chosen);
  };
  return (
    <div className={classes["pair"]}>
      <SearchableSelect
        label={t("Instance")}
        value={chosen}
        onChange={setChosen}
        choices={choices.instances}
        loading={choices.loading}
        hasMore={choices.hasMore}
        failure={choices.failure}
        onFocus={choices.want}
        onSearch={choices.search}
        clearable
        className={classes["grow"]}
      />
      <Needs call="createTestSnapshot">
        <WorkButton variant="default" disabled={disabled} isWorking={actions.fetchOne.isPending} onClick={fetchChosen}>
          {t("Fetch")}
        </WorkButton>
      </Needs>
    </div>
  );
}

/** A card that fetches the root page as an instance of its own, and deletes all instances. */
export function InstanceCard({ object, actions, disabled, onDelete }: Props) {
  return (
    <Card title={t("Instance")}>
      <p className="dense text-2">
        {t("Create / Fetch takes a snapshot of only the root page, and creates its instance if there is none.")}
      </p>
      <div className={classes["ends"]}>
        <Needs call="snapshotOne">
          <WorkButton
            variant="default"
            disabled={disabled}
            isWorking={actions.fetchRoot.isPending}
            onClick={() => actions.fetchRoot.mutate()}
          >
            {t("Create / Fetch")}
          </WorkButton>
        </Needs>
        <Needs call="deleteAll">
          <Button variant="subtle" disabled={disabled || object.instances_total === 0} onClick={onDelete}>
            {t("Delete Instances")}
          </Button>
        </Needs>
      </div>
    </Card>
  );
}
