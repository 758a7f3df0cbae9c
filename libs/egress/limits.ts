/** Times in milliseconds, sizes in bytes. */
export type EgressLimits = {
  /** For one look-up of a name, its turn among those of its account included. */
  lookupTimeoutMs: number;
  /** Look-ups that one account may have under way at once; further ones wait, which counts toward their time. */
  maxLookupsPerAccount: number;
  /** How long it takes at least to say that a name does not exist or has no public address. */
  minNotFoundMs: number;
  /** For one address of several, before the next is tried. */
  attemptTimeoutMs: number;
  /** For a TCP connection over all its addresses, and again for its TLS handshake. */
  connectTimeoutMs: number;
  /** Without a byte, before a tunnel or a response is given up. */
  idleTimeoutMs: number;
  /** For the body of a receiver's answer, which only the record shows. */
  bodyTimeoutMs: number;
  /** The head of a request or an answer. */
  maxHeaderBytes: number;
  /** The body of one answer to a plain http request. */
  maxProxyResponseBytes: number;
  /** What comes back through one tunnel; a browser keeps a tunnel for many requests. */
  maxTunnelBytes: number;
  /** At the same time, to one host and port: from one document, or for the callbacks of one account. */
  maxConnectionsPerHost: number;
  /** At the same time, from one document to its proxy. */
  maxProxyConnections: number;
};

export const defaultLimits: EgressLimits = {
  lookupTimeoutMs: 5_000,
  maxLookupsPerAccount: 16,
  minNotFoundMs: 200,
  attemptTimeoutMs: 1_000,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  bodyTimeoutMs: 1_000,
  maxHeaderBytes: 32 * 1024,
  maxProxyResponseBytes: 64 * 1024 * 1024,
  maxTunnelBytes: 256 * 1024 * 1024,
  maxConnectionsPerHost: 256,
  maxProxyConnections: 512,
};
