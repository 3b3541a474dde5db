import { limits } from "@web-tester/contracts/limits";
import { InvalidArgumentError } from "commander";

/** Validates a run's label before the run begins, because a run that has begun would go on. @throws InvalidArgumentError */
export function readLabel(text: string): string {
  const label = text.normalize("NFC").trim();
  if (label === "") throw new InvalidArgumentError("The label is empty. Give one.");
  if (label.length > limits.runLabelMaxChars)
    throw new InvalidArgumentError(`A label can have up to ${limits.runLabelMaxChars} characters.`);
  return label;
}
