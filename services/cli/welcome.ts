import type { AddressInfo } from 'node:net';
import type { Settings } from '#libs/config/settings.ts';
import type { FirstKeys } from './default-account.ts';

const firstRequest = (baseUrl: string, key: string): string =>
  [
    `curl -s ${baseUrl}/api/v1/render -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`,
    ` -d '{"mode":"CONVERT","input_type":"markdown","data":"# It works\\n\\nThis PDF was made by **Colophon**."}'`,
    ` | sed 's/.*"pdf_base64":"\\([^"]*\\)".*/\\1/' | base64 -d > first.pdf`,
  ].join('');

/** Says that the service is up, and on the very first start the keys of the default account and a line to try. */
export const welcome = (settings: Settings, address: AddressInfo | string | null, keys: FirstKeys | null): void => {
  const baseUrl = settings.port === 0 && typeof address === 'object' && address ? `http://${settings.host}:${address.port}` : settings.baseUrl;
  const lines = [`Colophon is ready at ${baseUrl} (API reference: ${baseUrl}/docs)`];
  if (keys) {
    lines.push(
      '',
      'An account "default" was opened. Its keys are shown this once:',
      `  live  ${keys.live}`,
      `  test  ${keys.test}`,
      '',
      'Paste this for a first PDF, first.pdf:',
      '',
      firstRequest(baseUrl, keys.test),
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
};
