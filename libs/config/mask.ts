const hidden = '***';

const withoutCredentials = (url: string): string => url.replace(/(:\/\/)[^/?#]*@/, `$1${hidden}@`).replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, `$1${hidden}`);

/** A value as it may be shown: of a secret nothing, of an address all but its credentials. */
export const mask = (value: string, isSecret: boolean): string => (isSecret && value !== '' ? hidden : withoutCredentials(value));
