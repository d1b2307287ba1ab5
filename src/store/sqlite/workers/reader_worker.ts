import { Reader } from "../reading/reader.ts";
import { hostObject } from "../../../workers/host_object.ts";
import { standBack } from "../../../workers/low_priority.ts";

standBack();
hostObject(Reader);
