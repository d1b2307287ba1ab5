import { Reader } from "../reading/reader.ts";
import { READER_CALLS } from "./codecs.ts";
import { hostObject } from "../../../workers/host_object.ts";
import { standBack } from "../../../workers/low_priority.ts";

standBack();
hostObject(Reader, READER_CALLS.codecs);
