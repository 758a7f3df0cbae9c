import { errors } from '@nats-io/transport-node';

const messagesOf = (error: unknown): string[] =>
  error instanceof Error
    ? [error.message, (error as NodeJS.ErrnoException).code ?? '', ...messagesOf(error.cause)]
    : [];

const reasonPatterns: readonly [pattern: RegExp, say: (where: string) => string][] = [
  [/ENOTFOUND|EAI_AGAIN/, (where) => `the host of ${where} has no address`],
  [
    /does not support 'tls'|wrong version number|'tls' is not available/i,
    (where) => `${where} speaks no TLS, but BUS_URL begins with tls://`,
  ],
  [
    /certificate|CERT_|altname|ERR_TLS|self.signed|tls/i,
    (where) =>
      `the TLS certificate of ${where} is not one that is trusted for that name (NODE_EXTRA_CA_CERTS names further authorities)`,
  ],
  [/unexpected response|invalid protocol|Parse Error/i, (where) => `what answers at ${where} is no NATS server`],
  [/ECONNREFUSED|refused/, (where) => `${where} is not there, nothing listens at that port`],
  // The driver's words for a connection that ends before it has begun.
  [
    /undefined error/,
    (where) =>
      `what listens at ${where.replace(/^NATS at /, '')} hangs up at once, as a proxy does that has no NATS server behind it`,
  ],
];

/** Why a connection to NATS did not come about, as the second half of a sentence; no password is in it. `where` is the servers' addresses. */
export const describeConnectionError = (error: unknown, where: string): string => {
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return `${where} refuses the user name, the password or the token`;
  const text = messagesOf(error).join(' ');
  const known = reasonPatterns.find(([pattern]) => pattern.test(text));
  return known ? known[1](where) : `${where} does not answer`;
};
