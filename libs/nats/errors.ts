import { errors } from '@nats-io/transport-node';

const messagesOf = (error: unknown): string[] =>
  error instanceof Error
    ? [error.message, (error as NodeJS.ErrnoException).code ?? '', ...messagesOf(error.cause)]
    : [];

const reasonPatterns: readonly [pattern: RegExp, describe: (where: string) => string][] = [
  [/ENOTFOUND|EAI_AGAIN/, (where) => `the host of ${where} has no address`],
  [
    /does not support 'tls'|wrong version number|'tls' is not available/i,
    (where) => `${where} does not support TLS, but BUS_URL begins with tls://`,
  ],
  [
    /certificate|CERT_|altname|ERR_TLS|self.signed|tls/i,
    (where) =>
      `the TLS certificate of ${where} is not trusted for that name ` +
      '(NODE_EXTRA_CA_CERTS can name more certificate authorities)',
  ],
  [/unexpected response|invalid protocol|Parse Error/i, (where) => `the server at ${where} is not a NATS server`],
  [/ECONNREFUSED|refused/, (where) => `nothing listens at the port of ${where}`],
  // The driver's message for a connection that is closed before the handshake.
  [
    /undefined error/,
    (where) =>
      `the server at ${where.replace(/^NATS at /, '')} closes the connection at once, ` +
      'like a proxy without a NATS server behind it',
  ],
];

/** Why a connection to NATS failed, as the second half of a sentence without secrets. `where` names the servers. */
export const describeConnectionError = (error: unknown, where: string): string => {
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return `${where} rejected the user name, the password or the token`;
  const text = messagesOf(error).join(' ');
  const reason = reasonPatterns.find(([pattern]) => pattern.test(text));
  return reason ? reason[1](where) : `${where} did not answer`;
};
