import { Writer } from "../writing/writer.ts";
import { hostObject } from "./host_object.ts";

hostObject(Writer);
