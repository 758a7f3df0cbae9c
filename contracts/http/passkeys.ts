import { z } from 'zod';
import { oneLine } from './one-line.ts';

const timestamp = z.iso.datetime({ offset: true });
const name = oneLine(z.string().trim().min(1).max(100)).describe('A name by which the person recognises the device.');

/** 201 of POST /session/passkeys. */
export const passkeyResponse = z.object({
  id: z.string().describe('passkey_<id>'),
  name: z.string(),
  added_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export type PasskeyResponse = z.output<typeof passkeyResponse>;

/** GET /session/passkeys. */
export const passkeyListResponse = z.object({ passkeys: z.array(passkeyResponse).describe('At most 20.') });
export type PasskeyListResponse = z.output<typeof passkeyListResponse>;

/** The options for the browser, which have a challenge that can be used once. */
export const passkeyOptionsResponse = z.object({
  options: z
    .record(z.string(), z.unknown())
    .describe('For navigator.credentials, in the JSON form of WebAuthn Level 3.'),
});
export type PasskeyOptionsResponse = z.output<typeof passkeyOptionsResponse>;

const text = z.string().max(20_000);
const credential = {
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()),
  authenticatorAttachment: z.string().max(50).nullish(),
};

/** POST /session/passkeys. */
export const addPasskeyRequest = z.object({
  name,
  response: z.object({
    ...credential,
    response: z.looseObject({
      clientDataJSON: text,
      attestationObject: text,
      transports: z.array(z.string().max(50)).max(20).optional(),
    }),
  }),
});

/** POST /session/passkey. */
export const passkeySignInRequest = z.object({
  response: z.object({
    ...credential,
    response: z.looseObject({
      clientDataJSON: text,
      authenticatorData: text,
      signature: text,
      userHandle: text.nullish(),
    }),
  }),
});

export const renamePasskeyRequest = z.object({ name });
export const passkeyParams = z.object({ passkey_id: z.string().describe('passkey_<id>') });
