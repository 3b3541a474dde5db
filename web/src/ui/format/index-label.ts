import { t } from "../../texts/text.js";
/** The label of a zero-based snapshot index: "Index 1 (latest)". Source: specification §2. */
export function indexLabel(index: number): string {
  const number = index + 1;
  if (index === 0) return t("Index {number} (latest)", { number });
  return index === 1 ? t("Index {number} (second latest)", { number }) : t("Index {number}", { number });
}

/** Choices for a dropdown of indices; values are zero-based, as in addresses. */
export const indexChoices = (count: number): { value: string; label: string }[] =>
  Array.from({ length: count }, (_, index) => ({ value: String(index), label: indexLabel(index) }));
