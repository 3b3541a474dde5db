import type { ImportFault } from "@web-tester/contracts/entities/transfer";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import classes from "./transfer.module.css";

const words = { testObjects: "Object", testInstances: "Instance", testSnapshots: "Snapshot" } as const;

/** Lists which records of a file are wrong, and why. */
export function FaultList({ faults, total }: { faults: readonly ImportFault[]; total: number }) {
  if (faults.length === 0) return null;
  return (
    <div className={classes["faults"]} tabIndex={0} role="region" aria-label={t("Faults of the file")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Record")}</th>
            <th scope="col">{t("Line")}</th>
            <th scope="col">{t("What is wrong")}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ list, record, line, message }) => (
            <tr key={`${list} ${record} ${message}`}>
              <td>{list === null ? t("File") : `${t(words[list])} ${record ?? ""}`}</td>
              <td className="mono">{line ?? ""}</td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > faults.length && (
        <p className="label text-2">{t("and {more}", { more: counted(total - faults.length, "more fault") })}</p>
      )}
    </div>
  );
}
