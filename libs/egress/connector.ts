import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { Dial } from './dial.ts';
import { targetOfUrl } from './target.ts';
import { codeOf, failed, timedOut, type EgressError } from './trouble.ts';

const certificateTroubles: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is made out to another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes from an authority that is not trusted, or lacks an intermediate certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority that is not trusted, or lacks an intermediate certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not trusted, or lacks an intermediate certificate',
  CERT_SIGNATURE_FAILURE: 'carries a wrong signature',
  INVALID_PURPOSE: 'is not made out for a server',
  CERT_REVOKED: 'has been revoked',
};

const tlsTrouble = (host: string, error: Error): EgressError => {
  const code = codeOf(error);
  if (certificateTroubles[code]) return failed(`The TLS certificate of ${host} ${certificateTroubles[code]}.`, error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timedOut(`${host} did not finish the TLS handshake in time.`);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') return failed(`${host} does not speak TLS at this port.`, error);
  if (code === 'ECONNRESET') return failed(`${host} closed the connection during the TLS handshake.`, error);
  return failed(`The TLS handshake with ${host} failed (${code}).`, error);
};

/** How undici comes by its connections: through the door, and with TLS on top where the scheme asks for it. */
export const doorConnector = (dial: Dial, secureContext: SecureContext, handshakeMs: number): buildConnector.connector => {
  const secure = buildConnector({ secureContext, allowH2: false, timeout: handshakeMs });
  return (options, callback) => {
    const { target } = targetOfUrl(`${options.protocol}//${options.host ?? options.hostname}`);
    dial(target).then(
      (socket) => {
        if (options.protocol !== 'https:') return callback(null, socket);
        const named = { ...options, hostname: target.host, servername: isIP(target.host) ? '' : target.host, httpSocket: socket };
        secure(named, (error, encrypted) => {
          if (!error) return callback(null, encrypted);
          socket.destroy();
          callback(tlsTrouble(target.host, error), null);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
};
