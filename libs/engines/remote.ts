/** An engine on a server. `missing` is null when it is available, otherwise one sentence with the problem and the setting to check. */
export type RemoteEngine = { missing(): string | null };

/** Whether the engine is on a server, which can be unavailable. */
export const isRemoteEngine = (engine: object): engine is RemoteEngine =>
  typeof (engine as Partial<RemoteEngine>).missing === 'function';

/** An invalid address in the settings. The message names the setting, the mistake and what is allowed, and never contains a password. */
export class AddressError extends Error {}
