import type { SecureContext } from 'node:tls';
import { Agent } from 'undici';
import { createEgressConnector } from './connector.ts';
import type { Dial } from './dial.ts';
import type { EgressLimits } from './limits.ts';

export type AgentOptions = {
  dial: Dial;
  trustStore: () => SecureContext;
  limits: EgressLimits;
  /** A response is closed after this time without a byte, in milliseconds; 0 for no limit. */
  idleTimeoutMs: number;
};

/** An agent that connects only where the dialler connects. */
export const createEgressAgent = ({ dial, trustStore, limits, idleTimeoutMs }: AgentOptions): Agent =>
  new Agent({
    connect: createEgressConnector(dial, trustStore, limits.connectTimeoutMs),
    allowH2: false,
    pipelining: 1,
    connections: limits.maxConnectionsPerHost,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
