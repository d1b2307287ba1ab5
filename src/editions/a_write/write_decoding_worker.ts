import { hostDecoders } from "../shared/decoding/hosted_decoders.ts";
import { WRITE_DECODERS } from "./write_decoders.ts";

hostDecoders(WRITE_DECODERS);
