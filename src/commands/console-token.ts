/** Environment variable with the console's token. */
export const tokenVariable = "POINTSMAN_CONSOLE_TOKEN";
