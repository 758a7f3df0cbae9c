import type { DefaultAccount } from '#application/accounts/default-account.ts';
import type { StartupAnnouncements } from '../process/start.ts';

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const exampleRequest = (baseUrl: string, { testKey, exampleTemplate }: DefaultAccount): string => {
  const body = JSON.stringify({ mode: 'RENDER', template_id: exampleTemplate.templateId, data: exampleTemplate.data });
  return [
    `curl -s ${baseUrl}/api/v1/render -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json'`,
    ` -d ${quoteForShell(body)}`,
    ` | sed 's/.*"pdf_base64":"\\([^"]*\\)".*/\\1/' | base64 -d > invoice.pdf`,
  ].join('');
};

/** Says that the service is up, and on the very first start the keys of the default account and a line to try. */
const printApiReady: StartupAnnouncements['serving'] = (settings, address, first) => {
  const baseUrl =
    settings.port === 0 && typeof address === 'object' && address
      ? `http://${settings.host}:${address.port}`
      : settings.baseUrl;
  const lines = [`Colophon is ready at ${baseUrl} (API reference: ${baseUrl}/docs)`];
  if (first) {
    lines.push(
      '',
      'An account "default" was opened, with six example templates. Its keys are shown this once:',
      `  live  ${first.liveKey}`,
      `  test  ${first.testKey}`,
      '',
      'Paste this for a first PDF, invoice.pdf:',
      '',
      exampleRequest(baseUrl, first),
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Says where a process without an API can be asked. */
const printHealthAddress: StartupAnnouncements['healthOnly'] = (roles, { host }, address) => {
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`Colophon (${roles.join(', ')}) tells of its health at http://${host}:${port}/health/ready\n`);
};

/** What `colophon start` prints. */
export const startupOutput: StartupAnnouncements = { serving: printApiReady, healthOnly: printHealthAddress };
