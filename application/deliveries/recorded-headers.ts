import { maxResponseHeaderLength, maxResponseHeaders } from '#contracts/events/delivery.ts';
import { mask } from '#libs/domain/webhook-url.ts';
import type { ResponseHeaders } from '#libs/egress/egress.ts';

const signatureNames = /^(x-service-signature|webhook-signature)/;
/** The headers with a signature. */
export const signaturesIn = (sent: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => signatureNames.test(name)));

/** Headers whose values belong to the receiver alone. */
const secretResponseHeaders = new Set(['set-cookie', 'authorization']);

/** The headers of a request as they are recorded: the caller's own and the signatures are masked. */
export const recordedRequestHeaders = (
  sent: Readonly<Record<string, string>>,
  callerHeaders: Readonly<Record<string, string>>,
): Record<string, string> => {
  const callerNames = new Set(Object.keys(callerHeaders).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      callerNames.has(name) || signatureNames.test(name) ? mask : value,
    ]),
  );
};

/** The headers of a response as they are recorded: the first ones, truncated, without secrets. */
export const recordedResponseHeaders = (
  headers: ResponseHeaders,
  maskText: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && name.length <= maxResponseHeaderLength.name)
      .slice(0, maxResponseHeaders)
      .map(([name, value]) => {
        if (secretResponseHeaders.has(name)) return [name, mask];
        const text = [value!].flat().join(', ').slice(0, maxResponseHeaderLength.value);
        return [name, maskText(text)];
      }),
  );
