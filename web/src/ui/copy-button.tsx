import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { limits } from "@web-tester/contracts/limits";
import { useEffect, useState } from "react";
import { t } from "../texts/text.js";
import { toast } from "./toasts/toasts.js";

/** A button that copies a text; its label reads "Copied" for 2 s. */
export function CopyButton({
  label,
  text,
  size,
  disabled = false,
}: {
  label: string;
  text: () => string;
  size?: "xs";
  disabled?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = window.setTimeout(() => setCopied(false), limits.copiedLabelMs);
    return () => window.clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => toast("error", t("The browser did not allow copying. Select the text and copy it by hand.")),
    );
  const Glyph = copied ? IconCheck : IconCopy;
  return (
    <Button
      variant="default"
      disabled={disabled}
      {...(size === undefined ? {} : { size })}
      leftSection={<Glyph size={15} aria-hidden />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{copied ? t("Copied") : label}</span>
    </Button>
  );
}
