/** Whether a host of a URL, or an address to listen on, leads to this machine only. No other site can have such a name. */
export const isLoopbackHost = (host: string): boolean => /^(?:localhost|127(?:\.\d+){1,3}|::1|\[::1\])$/i.test(host);
