// @ts-check
/** Takes a slot of a host, reports that, and holds the slot as long as the process lives. */
import { createHostSemaphore } from "@web-tester/records/hosts/host-semaphore";

const [url = "", host = "", size = "", silentMs = ""] = process.argv.slice(2);
const places = createHostSemaphore(url, Number(size), undefined, Number(silentMs));
const got = await places.tryTake(host, "now");
process.stdout.write(got === null ? "none" : "held");
