import { Writer } from "../writing/writer.ts";
import { hostObject } from "../../../workers/host_object.ts";

hostObject(Writer);
