import { hostDecoders } from "../shared/decoding/hosted_decoders.ts";
import { TICKET_DECODERS } from "./ticket_requests.ts";

hostDecoders(TICKET_DECODERS);
