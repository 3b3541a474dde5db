import { limits } from "@web-tester/contracts/limits";
import { InvalidArgumentError } from "commander";

/** Validates a run's label before the run begins, because a run that has begun would go on. @throws InvalidArgumentError */
export function readLabel(text: string): string {
  const label = text.trim();
  if (label === "") throw new InvalidArgumentError("Say a label: it is empty.");
  if (label.length > limits.runLabelMaxChars)
    throw new InvalidArgumentError(`A label may have ${limits.runLabelMaxChars} characters at most.`);
  return label;
}
