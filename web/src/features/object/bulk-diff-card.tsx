import { Button, SegmentedControl, Select } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { diffView } from "@web-tester/contracts/entities/vocabulary";
import { IconGitCompare } from "@tabler/icons-react";
import { memo, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { indexChoices } from "../../ui/format/index-label.js";
import { bulkHelp } from "../../ui/format/ways-to-look.js";
import { indexOption } from "../../ui/format/index-option.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import classes from "./rail.module.css";

/** Compares all instances by the position of their snapshots, A the older one unless chosen otherwise. */
export const BulkDiffCard = memo(function BulkDiffCard({ object }: { object: TestObject }) {
  const count = object.max_snapshots;
  const [a, setA] = useState("1");
  const [b, setB] = useState("0");
  const [view, setView] = useState<string>("unified");
  const navigate = useNavigate();
  // The rail has no room for more than one explanation.
  const choices = indexChoices(count).map(({ value, label }) => ({
    value,
    label: value === "1" ? t("Index {number}", { number: 2 }) : label,
  }));
  const within = (index: string) => (Number(index) < count ? index : String(Math.max(0, count - 1)));
  const renderOption = useMemo(() => indexOption(object.history), [object.history]);
  const shared = {
    data: choices,
    renderOption,
    allowDeselect: false,
    disabled: count === 0,
    placeholder: t("No snapshots yet"),
  };
  const query = () => new URLSearchParams({ bulk: object.id, idx1: within(a), idx2: within(b), view }).toString();
  return (
    <Card title={t("Bulk Diff")}>
      <p className={`dense text-2 ${classes["help"]}`}>{t(bulkHelp)}</p>
      <div className={classes["pair"]}>
        <Select
          {...shared}
          className={classes["grow"]}
          label={t("Index A")}
          value={count === 0 ? null : within(a)}
          onChange={(value) => setA(value ?? a)}
        />
        <Select
          {...shared}
          className={classes["grow"]}
          label={t("Index B")}
          value={count === 0 ? null : within(b)}
          onChange={(value) => setB(value ?? b)}
        />
      </div>
      <div className={classes["ends"]}>
        <SegmentedControl
          aria-label={t("View")}
          value={view}
          onChange={setView}
          data={diffView.options.map((value) => ({ value, label: value === "unified" ? t("Unified") : t("Split") }))}
        />
        <Button
          variant="default"
          leftSection={<IconGitCompare size={15} aria-hidden />}
          disabled={count === 0}
          onClick={() => void navigate(`/diff/bulk?${query()}`)}
        >
          {t("Open Bulk Diff")}
        </Button>
      </div>
    </Card>
  );
});
