import { AllSchedulesPage } from "../features/schedules/all-schedules-page.js";

export function Component() {
  return <AllSchedulesPage />;
}
