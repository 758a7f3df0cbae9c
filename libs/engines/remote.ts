/** What every engine that is a server tells of itself: null when it can serve, else one sentence on what is wrong and which setting to look at. */
export type RemoteEngine = { missing(): string | null };

/** Whether the engine is a server, which can be away. */
export const isRemoteEngine = (engine: object): engine is RemoteEngine =>
  typeof (engine as Partial<RemoteEngine>).missing === 'function';

/** An address in the settings that is wrong, so that waiting does not help. The message names the setting, what is wrong with it and what is allowed, and never holds a password. */
export class AddressError extends Error {}
