import { Button } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Link } from "react-router";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import classes from "./rail.module.css";

/** A card that links to the search over all snapshots of an object. */
export function SearchCard({ objectId }: { objectId: string }) {
  return (
    <Card title={t("Search")}>
      <div className={classes["ends"]}>
        <span className="dense text-2">{t("Find a text in any snapshot")}</span>
        <Button
          variant="default"
          component={Link}
          to={`/objects/${objectId}/search`}
          leftSection={<IconSearch size={15} aria-hidden />}
        >
          {t("Search snapshots")}
        </Button>
      </div>
    </Card>
  );
}
