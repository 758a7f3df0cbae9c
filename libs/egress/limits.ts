/** Times in milliseconds, sizes in bytes. */
export type EgressLimits = {
  /** For one look-up of a name, its turn among those of its account included. */
  lookupMs: number;
  /** Look-ups that one account may have under way at once; further ones wait, which counts toward their time. */
  lookupsPerAccount: number;
  /** How long it takes at least to say that a name does not exist or has no public address. */
  noHostMs: number;
  /** For one address of several, before the next is tried. */
  attemptMs: number;
  /** For a TCP connection over all its addresses, and again for its TLS handshake. */
  connectMs: number;
  /** Without a byte, before a tunnel or a response is given up. */
  idleMs: number;
  /** For the body of a receiver's answer, which only the record shows. */
  bodyMs: number;
  /** The head of a request or an answer. */
  headerBytes: number;
  /** The body of one answer to a plain http request. */
  responseBytes: number;
  /** What comes back through one tunnel; a browser keeps a tunnel for many requests. */
  tunnelBytes: number;
  /** At the same time, to one host and port: from one document, or for the callbacks of one account. */
  connectionsPerHost: number;
  /** At the same time, from one document to its proxy. */
  connections: number;
};

export const defaultLimits: EgressLimits = {
  lookupMs: 5_000,
  lookupsPerAccount: 16,
  noHostMs: 200,
  attemptMs: 1_000,
  connectMs: 10_000,
  idleMs: 60_000,
  bodyMs: 1_000,
  headerBytes: 32 * 1024,
  responseBytes: 64 * 1024 * 1024,
  tunnelBytes: 256 * 1024 * 1024,
  connectionsPerHost: 256,
  connections: 512,
};
