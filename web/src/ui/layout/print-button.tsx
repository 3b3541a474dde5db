import { Button } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { t } from "../../texts/text.js";

/** A button that prints the whole page, or makes a PDF of it; it shows while that is being prepared. */
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
