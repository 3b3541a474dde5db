import { AppError } from "@web-tester/contracts/errors";
import { codedFault, type FaultCode } from "@web-tester/contracts/faults";

/** Makes the error for something that is to be created and exists already. */
export function alreadyThere(code: FaultCode): AppError {
  const fault = codedFault(code);
  return new AppError("conflict", `${fault.message}.`, { details: fault });
}
