import type { FirstSteps } from '#application/accounts/default-account.ts';
import type { Announce } from '../process/start.ts';

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
const serving: Announce['serving'] = (settings, address, first) => {
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

/** Says where a process without an API can be asked. */
const healthOnly: Announce['healthOnly'] = (roles, { host }, address) => {
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`Colophon (${roles.join(', ')}) tells of its health at http://${host}:${port}/health/ready\n`);
};

/** What `colophon start` prints. */
export const announce: Announce = { serving, healthOnly };
