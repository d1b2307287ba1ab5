import { Reader } from "../reading/reader.ts";
import { hostObject } from "./host_object.ts";

hostObject(Reader);
