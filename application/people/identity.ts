import { createHash } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const idLength = 26;

/** 130 bits of the SHA-256 of a text, in the form of all ids. */
const idFrom = (text: string): string => {
  let rest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  let id = '';
  while (id.length < idLength) {
    id += alphabet[Number(rest % 32n)]!;
    rest /= 32n;
  }
  return id;
};

/** One spelling for each email: trimmed, in lower case and in Unicode NFC. */
export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC');

/**
 * Who a person is. The id derives from it, so that two sign-ins with one email are one person without a lock. `user` is
 * a user of the machine; `subject` is known to an identity provider without a verified email; `invitation` is the
 * holder of an invitation, whose email is not verified, and who is therefore not the person with that email.
 */
export type Identity =
  | { kind: 'email'; email: string }
  | { kind: 'user'; name: string }
  | { kind: 'subject'; issuer: string; subject: string; name: string }
  | { kind: 'invitation'; invitationId: string; email: string };

/** The bare id of a person. */
export const personIdFrom = (identity: Identity): string => {
  switch (identity.kind) {
    case 'email':
      return idFrom(JSON.stringify(['email', normaliseEmail(identity.email)]));
    case 'user':
      return idFrom(JSON.stringify(['user', identity.name]));
    case 'subject':
      return idFrom(JSON.stringify(['subject', identity.issuer, identity.subject]));
    case 'invitation':
      return idFrom(JSON.stringify(['invitation', identity.invitationId]));
    default:
      return identity satisfies never;
  }
};

/** The email and the name that a new person with this identity gets. */
export const profileOf = (identity: Identity): { email: string | null; name: string } => {
  if (identity.kind === 'user' || identity.kind === 'subject') return { email: null, name: identity.name };
  const email = normaliseEmail(identity.email);
  return { email, name: email };
};

/** The id of a passkey in the API. Its credential id is too long for one. */
export const passkeyIdFrom = (credentialId: string): string =>
  `passkey_${idFrom(JSON.stringify(['passkey', credentialId]))}`;
