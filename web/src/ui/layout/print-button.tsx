import { Button } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { t } from "../../texts/text.js";

/** Prints the page whole, or makes a PDF of it; says while it is being made ready. */
export function PrintButton({ whole, onPrint }: { whole: boolean; onPrint: () => void }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPrinter size={15} aria-hidden />}
      loading={whole}
      onClick={onPrint}
      title={t("On paper or as PDF, whole and without controls")}
    >
      {t("Print")}
    </Button>
  );
}
