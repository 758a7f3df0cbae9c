/** Secrets of a callback. No one but its receiver may get them. */
export const canary = /canary-/;
export const headers = { Authorization: 'Bearer canary-r5T1v3N0', 'X-Tenant': 'canary-7' };
export const secretPath = '/hook/canary-k9Q2z7X1?key=canary-p4M8w6Y3';
/** The URL of a receiver with secrets, and how the API shows it. */
export const secretUrl = (url: string): string => url.replace('/hook', secretPath);
export const shownUrl = (url: string): string => url.replace('/hook', '/hook/***?key=***');
