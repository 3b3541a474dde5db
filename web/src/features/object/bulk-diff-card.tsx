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

/** A card that compares all instances at two indices; A is the older one unless chosen otherwise. */
export const BulkDiffCard = memo(function BulkDiffCard({ object }: { object: TestObject }) {
  const count = object.max_snapshots;
  const [a, setA] = useState("1");
  const [b, setB] = useState("0");
  const [view, setView] = useState<string>("unified");
  const navigate = useNavigate();
  const within = (index: string) => (Number(index) < count ? index : String(Math.max(0, count - 1)));
  const shared = useIndexSelect(object);
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
      <Ends view={view} onView={setView} disabled={count === 0} onOpen={() => void navigate(`/diff/bulk?${query()}`)} />
    </Card>
  );
});

/** The props that both dropdowns share. */
function useIndexSelect({ max_snapshots: count, history }: TestObject) {
  // The narrow card has no room for more than one explanation in brackets.
  const choices = indexChoices(count).map(({ value, label }) => ({
    value,
    label: value === "1" ? t("Index {number}", { number: 2 }) : label,
  }));
  const renderOption = useMemo(() => indexOption(history), [history]);
  return {
    data: choices,
    renderOption,
    allowDeselect: false,
    disabled: count === 0,
    placeholder: t("No snapshots yet"),
  };
}

interface EndsProps {
  view: string;
  onView: (view: string) => void;
  disabled: boolean;
  onOpen: () => void;
}

function Ends({ view, onView, disabled, onOpen }: EndsProps) {
  return (
    <div className={classes["ends"]}>
      <SegmentedControl
        aria-label={t("View")}
        value={view}
        onChange={onView}
        data={diffView.options.map((value) => ({ value, label: value === "unified" ? t("Unified") : t("Split") }))}
      />
      <Button
        variant="default"
        leftSection={<IconGitCompare size={15} aria-hidden />}
        disabled={disabled}
        onClick={onOpen}
      >
        {t("Open Bulk Diff")}
      </Button>
    </div>
  );
}
