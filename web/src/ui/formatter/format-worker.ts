import { answerWith } from "../work/run-worker.js";
import { formatHtml } from "./format-html.js";

answerWith(formatHtml);
