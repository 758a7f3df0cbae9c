import type { AddressInfo } from 'node:net';
import type { Settings } from '#libs/config/settings.ts';
import type { FirstSteps } from './default-account.ts';

const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const firstRequest = (baseUrl: string, { test, invoice }: FirstSteps): string => {
  const body = JSON.stringify({ mode: 'RENDER', template_id: invoice.templateId, data: invoice.data });
  return [
    `curl -s ${baseUrl}/api/v1/render -H 'Authorization: Bearer ${test}' -H 'Content-Type: application/json'`,
    ` -d ${inSingleQuotes(body)}`,
    ` | sed 's/.*"pdf_base64":"\\([^"]*\\)".*/\\1/' | base64 -d > invoice.pdf`,
  ].join('');
};

/** Says that the service is up, and on the very first start the keys of the default account and a line to try. */
export const welcome = (settings: Settings, address: AddressInfo | string | null, first: FirstSteps | null): void => {
  const baseUrl = settings.port === 0 && typeof address === 'object' && address ? `http://${settings.host}:${address.port}` : settings.baseUrl;
  const lines = [`Colophon is ready at ${baseUrl} (API reference: ${baseUrl}/docs)`];
  if (first) {
    lines.push(
      '',
      'An account "default" was opened, with six example templates. Its keys are shown this once:',
      `  live  ${first.live}`,
      `  test  ${first.test}`,
      '',
      'Paste this for a first PDF, invoice.pdf:',
      '',
      firstRequest(baseUrl, first),
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
};
