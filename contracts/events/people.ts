import { z } from 'zod';
import { roles } from '../roles.ts';
import { ascii, identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** How a person signs in: by a one-time link, a passkey, or the identity provider (OpenID Connect). */
export const signInMethods = ['link', 'passkey', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** Who made a person an operator: a command on the machine, or the groups of the identity provider. */
export const operatorSources = ['command', 'groups'] as const;
export type OperatorSource = (typeof operatorSources)[number];

/** The longest credential id of WebAuthn has 1023 bytes. */
const credentialId = () => ascii(1400);
/** In lower case and Unicode NFC; an address has at most 254 characters. */
const email = () => text(1600);
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

export const personEvents = {
  PersonRegistered: z.object({ email: email().nullable(), name: text(600) }),
  /** `challengeId` is that of the passkey's or the identity provider's challenge, which is used once. */
  PersonSignedIn: z.object({
    method: z.enum(signInMethods),
    sessionId: identifier(),
    challengeId: identifier().nullable(),
  }),
  /** `credentialId` and `publicKey` (COSE) are in base64url. Neither is a secret. */
  PasskeyAdded: z.object({
    credentialId: credentialId(),
    publicKey: ascii(2000),
    counter: z.number().int(),
    transports: list(z.enum(transports), transports.length),
    name: text(600),
    challengeId: identifier(),
  }),
  PasskeyRenamed: z.object({ credentialId: credentialId(), name: text(600) }),
  PasskeyUsed: z.object({ credentialId: credentialId(), counter: z.number().int() }),
  PasskeyRemoved: z.object({ credentialId: credentialId() }),
  OperatorGranted: z.object({ source: z.enum(operatorSources) }),
  OperatorRevoked: z.object({}),
} as const;
export type PersonEvent = EventsIn<typeof personEvents>;

/** The secret of the session is in the person's browser alone. */
export const sessionEvents = {
  SessionStarted: z.object({
    personId: identifier(),
    /** SHA-256 of the secret, in hex. */
    secretHash: identifier(),
    method: z.enum(signInMethods),
    userAgent: text(1200).nullable(),
    expiresAt: identifier(),
  }),
  /** The person signed in to an account as its member. The account is that of the event. */
  MemberSignedIn: z.object({ personId: identifier(), method: z.enum(signInMethods) }),
  SessionExtended: z.object({ expiresAt: identifier() }),
  /** The person ended it from another session, or another person did. */
  SessionRevoked: z.object({}),
  /** The person signed out. */
  SessionEnded: z.object({}),
} as const;
export type SessionEvent = EventsIn<typeof sessionEvents>;

/** A one-time link; its token is shown once and not stored. */
export const signInLinkEvents = {
  SignInLinkIssued: z.object({
    /** SHA-256 of the secret, in hex. */
    tokenHash: identifier(),
    personId: identifier(),
    email: email().nullable(),
    name: text(600),
    /** The account that the person joins; null if the link is for no account. */
    accountId: identifier().nullable(),
    /** null keeps the role of a member, and makes anyone else owner. */
    role: z.enum(roles).nullable(),
    operator: z.boolean(),
    expiresAt: identifier(),
  }),
  SignInLinkUsed: z.object({ sessionId: identifier() }),
} as const;
export type SignInLinkEvent = EventsIn<typeof signInLinkEvents>;
