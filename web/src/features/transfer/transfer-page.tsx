import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { t } from "../../texts/text.js";
import { ExportCard } from "./export-card.js";
import { ImportCard } from "./import-card.js";
import { ImportList } from "./import-list.js";
import classes from "./transfer.module.css";

/** The page for exporting everything as one file, and for importing it. */
export function TransferPage() {
  usePageMeta(
    t("Import/Export"),
    t("Export test objects with their history as a file, and import them again."),
    "/import-export",
  );
  return (
    <Page>
      <PageHead
        title={t("Import / Export")}
        below={
          <p className="text-2">
            {t("Export test objects with their whole history as a file, and import them again.")}
          </p>
        }
      />
      <div className={classes["grid"]}>
        <ExportCard />
        <ImportCard />
        <ImportList />
      </div>
    </Page>
  );
}
