import { Writer } from "../writing/writer.ts";
import { WRITER_CALLS } from "./codecs.ts";
import { hostObject } from "../../../workers/host_object.ts";

hostObject(Writer, WRITER_CALLS);
