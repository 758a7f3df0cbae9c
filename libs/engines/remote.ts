/** What every engine that is a server tells of itself: null when it can serve, else one sentence on what is wrong and which setting to look at. */
export type Remote = { missing(): string | null };

/** An address in the settings that no waiting mends. The message names the setting, what is wrong with it and what is allowed, and never holds a password. */
export class AddressError extends Error {}
