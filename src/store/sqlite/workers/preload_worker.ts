import { hostObject } from "../../../workers/host_object.ts";
import { Preload } from "../data_directory/preload.ts";

hostObject(Preload);
