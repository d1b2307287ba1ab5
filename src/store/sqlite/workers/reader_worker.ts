import { Reader } from "../reading/reader.ts";
import { READER_CALLS } from "./codecs.ts";
import { hostObject } from "../../../workers/host_object.ts";

hostObject(Reader, READER_CALLS);
