export { fetchHubModel, type HubModel, type HubModelId, type HubOptions } from "./hub-model.ts";
