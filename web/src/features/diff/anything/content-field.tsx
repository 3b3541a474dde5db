import { Button, Textarea } from "@mantine/core";
import { IconWand } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import { formatInWorker } from "../../../ui/formatter/format-in-worker.js";
import { resting } from "../../../ui/feedback/resting.js";
import { SideLetter } from "../../../ui/layout/side-letter.js";
import { refuseHugePaste } from "../../../ui/refuse-huge-paste.js";
import { t } from "../../../texts/text.js";
import classes from "./anything.module.css";

interface Props {
  side: "A" | "B";
  value: string;
  autoFocus?: boolean;
  ref?: React.Ref<HTMLTextAreaElement>;
  onChange: (value: string) => void;
}

/** One of the two inputs, with a button that formats it as HTML. */
export function ContentField({ side, value, autoFocus = false, ref, onChange }: Props) {
  const id = useId();
  const format = useMutation({ mutationFn: formatInWorker, onSuccess: onChange });
  return (
    <div className={classes["field"]}>
      <div className={classes["fieldHead"]}>
        <SideLetter side={side} />
        <label htmlFor={id} className={classes["label"]}>
          {t("Content {side}", { side })}
        </label>
        <FormatButton
          describedBy={id}
          isEmpty={value === ""}
          isFormatting={format.isPending}
          onFormat={() => !format.isPending && format.mutate(value)}
        />
      </div>
      <Textarea
        ref={ref}
        id={id}
        rows={12}
        spellCheck={false}
        autoFocus={autoFocus}
        placeholder={side === "A" ? t("Paste the older content here") : t("Paste the newer content here")}
        value={value}
        readOnly={format.isPending}
        onPaste={refuseHugePaste}
        error={format.isError ? format.error.message : undefined}
        onChange={(event) => {
          format.reset();
          onChange(event.currentTarget.value);
        }}
        classNames={{ input: classes["input"] ?? "" }}
      />
    </div>
  );
}

interface FormatButtonProps {
  describedBy: string;
  isEmpty: boolean;
  isFormatting: boolean;
  onFormat: () => void;
}

function FormatButton({ describedBy, isEmpty, isFormatting, onFormat }: FormatButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconWand size={15} aria-hidden />}
      aria-describedby={describedBy}
      disabled={isEmpty}
      {...(isFormatting ? resting : undefined)}
      onClick={onFormat}
    >
      {isFormatting ? t("Formatting…") : t("Format HTML")}
    </Button>
  );
}
