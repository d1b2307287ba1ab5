import { hostDecoders } from "../shared/decoding/hosted_decoders.ts";
import { TX_DECODERS } from "./tx_requests.ts";

hostDecoders(TX_DECODERS);
