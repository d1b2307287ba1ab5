import { hostDecoders } from "../shared/decoding/hosted_decoders.ts";
import { WRITE_DECODERS } from "./write_request.ts";

hostDecoders(WRITE_DECODERS);
