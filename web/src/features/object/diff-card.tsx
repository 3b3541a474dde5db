import { Button } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { IconGitCompare } from "@tabler/icons-react";
import { memo, useState } from "react";
import { useNavigate } from "react-router";
import { Card } from "../../ui/layout/card.js";
import { SideLetter } from "../../ui/layout/side-letter.js";
import { SearchableSelect } from "../../ui/searchable-select.js";
import { t } from "../../texts/text.js";
import { useChoices } from "./use-choices.js";
import classes from "./rail.module.css";

/** A card that selects any two snapshots of the object and compares them. */
export const DiffCard = memo(function DiffCard({ object }: { object: TestObject }) {
  const [a, setA] = useState<string | null>(null);
  const [b, setB] = useState<string | null>(null);
  const navigate = useNavigate();
  const choices = useChoices(object.id);
  const shared = {
    choices: choices.snapshots,
    loading: choices.loading,
    hasMore: choices.hasMore,
    failure: choices.failure,
    onFocus: choices.want,
    onSearch: choices.search,
    clearable: true,
  };
  return (
    <Card title={t("Diff")}>
      <div className={classes["stack"]}>
        <SearchableSelect
          {...shared}
          aria-label={t("Snapshot A")}
          value={a}
          onChange={setA}
          leftSection={<SideLetter side="A" quiet />}
        />
        <SearchableSelect
          {...shared}
          aria-label={t("Snapshot B")}
          value={b}
          onChange={setB}
          leftSection={<SideLetter side="B" quiet />}
        />
      </div>
      <div className={classes["ends"]}>
        <span />
        <Button
          variant="default"
          leftSection={<IconGitCompare size={15} aria-hidden />}
          disabled={a === null || b === null}
          onClick={() => void navigate(`/diff?a=${encodeURIComponent(a ?? "")}&b=${encodeURIComponent(b ?? "")}`)}
        >
          {t("Compare")}
        </Button>
      </div>
    </Card>
  );
});
