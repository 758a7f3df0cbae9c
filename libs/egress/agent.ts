import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import type { Dial } from './dial.ts';
import { errorCodeOf, failureError, timeoutError, type EgressError } from './errors.ts';
import type { EgressLimits } from './limits.ts';
import { targetOfUrl } from './target.ts';

const certificateErrors: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is issued for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes from an authority that is not trusted, or lacks an intermediate certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority that is not trusted, or lacks an intermediate certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'comes from an authority that is not trusted, or lacks an intermediate certificate',
  CERT_SIGNATURE_FAILURE: 'has an invalid signature',
  INVALID_PURPOSE: 'is not issued for a server',
  CERT_REVOKED: 'has been revoked',
};

const toTlsError = (host: string, error: Error): EgressError => {
  const code = errorCodeOf(error);
  if (certificateErrors[code]) return failureError(`The TLS certificate of ${host} ${certificateErrors[code]}.`, error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutError(`${host} did not finish the TLS handshake in time.`);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return failureError(`${host} does not speak TLS at this port.`, error);
  if (code === 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' || code === 'ERR_SSL_UNSUPPORTED_PROTOCOL')
    return failureError(`${host} does not support TLS 1.2 or later.`, error);
  if (code === 'ECONNRESET') return failureError(`${host} closed the connection during the TLS handshake.`, error);
  return failureError(`The TLS handshake with ${host} failed (${code}).`, error);
};

/** Connects undici to targets that the address policy allows, with TLS for https. */
const createEgressConnector = (
  dial: Dial,
  trustStore: () => SecureContext,
  handshakeMs: number,
): buildConnector.connector => {
  let secure: buildConnector.connector | undefined;
  return (options, callback) => {
    const { target } = targetOfUrl(`${options.protocol}//${options.host ?? options.hostname}`);
    dial(target).then(
      (socket) => {
        if (options.protocol !== 'https:') return callback(null, socket);
        const tlsOptions = {
          ...options,
          hostname: target.host,
          servername: isIP(target.host) ? '' : target.host,
          httpSocket: socket,
        };
        secure ??= buildConnector({ secureContext: trustStore(), allowH2: false, timeout: handshakeMs });
        secure(tlsOptions, (error, encrypted) => {
          if (!error) return callback(null, encrypted);
          socket.destroy();
          callback(toTlsError(target.host, error), null);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
};

type AgentOptions = {
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
    keepAliveMaxTimeout: limits.maxKeepAliveMs,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
