// @ts-check
/** Takes a place at a host, says so, and holds it for as long as it lives. */
import { createHostSemaphore } from "@web-tester/records/hosts/host-semaphore";

const [url = "", host = "", size = "", silentMs = ""] = process.argv.slice(2);
const places = createHostSemaphore(url, Number(size), undefined, Number(silentMs));
const got = await places.tryTake(host, "now");
process.stdout.write(got === null ? "none" : "held");
