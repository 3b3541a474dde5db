import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { useEffect, useMemo, useRef } from "react";
import { useSearchParams } from "react-router";
import type { DiffAddress, DiffChoice } from "./address.js";
import { isShared } from "../../ui/access/shared.js";
import { copyLink } from "./copy-link.js";
import { firstLineOf, lineAddress, type LineAddress, placeOfLine, readLine, writeLine } from "./linked-line.js";
import { changeNear } from "./ruler.js";
import type { Gap, RowModel } from "./row-model.js";

/**
 * Provides links to the lines of a comparison, and the line that the address points to; folded lines around it are opened.
 * @returns `link` makes the link of a line, `onLine` copies it and marks the line, `copyLine` does so for a change
 */
export function useLinkedLine({
  diff,
  address,
  model,
  open,
  choose,
}: {
  diff: DiffHunks | undefined;
  address: DiffAddress;
  model: RowModel | undefined;
  open: (gap: Gap) => Promise<void>;
  choose: (choice: DiffChoice) => void;
}) {
  const [search] = useSearchParams();
  const { file, line } = address;
  const link = useMemo(
    () => (diff === undefined || isShared ? undefined : lineAddress(diff, search, file)),
    [diff, search, file],
  );
  const linked = useMemo(() => readLine(line ?? null), [line]);
  useOpenedLine(linked, model, open);

  const onLine = (of: LineAddress) => {
    if (link === undefined) return;
    choose({ line: of });
    void copyLink(link(of), of);
  };
  const copyLine = (change: number) => {
    const found = model?.changes[change];
    const of = found === undefined || model === undefined ? undefined : firstLineOf(model.rows, found);
    if (of !== undefined) onLine(of);
  };
  return { link, linked, onLine, copyLine };
}

/** The index of the change at or after the line that the address points to, so that stepping continues from there. */
export function useLinkedChange(model: RowModel | undefined, line: string | undefined): number | undefined {
  return useMemo(() => {
    const linked = readLine(line ?? null);
    const place = linked === undefined || model === undefined ? undefined : placeOfLine(model.rows, linked);
    return model === undefined || place === undefined || !("row" in place)
      ? undefined
      : changeNear(model.changes, place.row);
  }, [model, line]);
}

/** Opens the gap that contains the line the address points to, once. */
function useOpenedLine(
  linked: LineAddress | undefined,
  model: RowModel | undefined,
  open: (gap: Gap) => Promise<void>,
) {
  const asked = useRef<string>(undefined);
  useEffect(() => {
    if (linked === undefined || model === undefined || asked.current === writeLine(linked)) return;
    const place = placeOfLine(model.rows, linked);
    if (place === undefined || "row" in place) return;
    asked.current = writeLine(linked);
    void open(place.part);
  }, [linked, model, open]);
}
