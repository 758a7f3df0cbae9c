/** What every engine that is a server tells of itself: null when it can serve, else one sentence on what is wrong and which setting to look at. */
export type Remote = { missing(): string | null };
