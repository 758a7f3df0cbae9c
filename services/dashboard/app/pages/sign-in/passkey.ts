import { useMutation } from '@tanstack/react-query';
import type { SessionResponse } from '#contracts/http/session.ts';
import { api } from '../../api/client.ts';
import { strings } from '../../strings/strings.ts';

/** WebAuthn works for host names only: the address of this page with a name, if it has none now. */
export const addressWithName = (): string | null => {
  const { hostname, port, protocol } = window.location;
  if (!/^[\d.]+$|:/.test(hostname)) return null;
  return hostname.startsWith('127.') ? `${protocol}//localhost${port && `:${port}`}/dashboard` : null;
};

/** Creates a passkey on this device and adds it to the signed-in person. */
export const addPasskey = async (name: string): Promise<void> => {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { options } = await api.post('/api/v1/session/passkeys/options');
  const response = await startRegistration({ optionsJSON: options as never });
  await api.post('/api/v1/session/passkeys', { body: { name, response: response as never } });
};

/** Signs in with a passkey of this device. */
const signInWithPasskey = async (): Promise<SessionResponse> => {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options } = await api.post('/api/v1/session/passkey/options');
  const response = await startAuthentication({ optionsJSON: options as never });
  return api.post('/api/v1/session/passkey', { body: { response: response as never } });
};

export const usePasskeySignIn = (onSuccess: (session: SessionResponse) => void) =>
  useMutation({ mutationFn: signInWithPasskey, onSuccess });

export const useOfferPasskey = (onSuccess: () => void) =>
  useMutation({ mutationFn: () => addPasskey(strings.account.defaultName), onSuccess });
