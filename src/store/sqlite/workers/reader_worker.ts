import { Reader } from "../reading/reader.ts";
import { hostObject } from "../../../workers/host_object.ts";

hostObject(Reader);
