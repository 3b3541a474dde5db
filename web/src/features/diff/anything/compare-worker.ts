import { type Compared, compareContents, type Contents } from "./compare-contents.js";
import { answerWith } from "../../../ui/work/run-worker.js";

answerWith<Contents, Compared>(compareContents);
