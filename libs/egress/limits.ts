/** Times in milliseconds, sizes in bytes. */
export type EgressLimits = {
  /** For one name look-up, including the wait for a free look-up of its account. */
  lookupTimeoutMs: number;
  /** How long a name with IPv4 addresses waits for IPv6 ones. */
  ipv6DelayMs: number;
  /**
   * Concurrent look-ups for one account, and as many again of names that were slow before. Further ones wait; the wait
   * counts toward their time.
   */
  maxLookupsPerAccount: number;
  /** The minimum time before the error that a name does not exist or has no public address. */
  minNotFoundMs: number;
  /** For one of several addresses, before the next one is tried. */
  attemptTimeoutMs: number;
  /** For a TCP connection over all addresses, and again for the TLS handshake. */
  connectTimeoutMs: number;
  /**
   * The longest time that a connection without a request stays open when its server asks for a time (Keep-Alive header).
   * Without that header it is closed after 4 s, which is the default of undici.
   */
  maxKeepAliveMs: number;
  /** Without a byte, before a tunnel or a response is closed. */
  idleTimeoutMs: number;
  /** For the body of a webhook response. The body is only recorded. */
  bodyTimeoutMs: number;
  /** The headers of a request or a response. */
  maxHeaderBytes: number;
  /** The body of one response to a plain http request. */
  maxProxyResponseBytes: number;
  /** Bytes received through one tunnel. A browser uses one tunnel for many requests. */
  maxTunnelBytes: number;
  /** Concurrent, to one host and port: of one document, or of the webhooks of one account. */
  maxConnectionsPerHost: number;
  /** Concurrent, from one document to its proxy. */
  maxProxyConnections: number;
};

export const defaultLimits: EgressLimits = {
  lookupTimeoutMs: 5_000,
  ipv6DelayMs: 500,
  maxLookupsPerAccount: 16,
  minNotFoundMs: 200,
  attemptTimeoutMs: 1_000,
  connectTimeoutMs: 10_000,
  maxKeepAliveMs: 10_000,
  idleTimeoutMs: 60_000,
  bodyTimeoutMs: 1_000,
  maxHeaderBytes: 32 * 1024,
  maxProxyResponseBytes: 64 * 1024 * 1024,
  maxTunnelBytes: 256 * 1024 * 1024,
  maxConnectionsPerHost: 256,
  maxProxyConnections: 512,
};
