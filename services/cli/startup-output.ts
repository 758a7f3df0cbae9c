import type { DefaultAccount } from '#application/accounts/default-account.ts';
import { signInUrl } from '#application/people/sign-in-links.ts';
import type { StartupOutput } from '../process/start.ts';
import { fileErrorReasons } from '#libs/disk/file-errors.ts';
import { writeStandardOutput } from './output.ts';

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const exampleRequest = (baseUrl: string, { testKey, exampleTemplate }: DefaultAccount): string => {
  const body = JSON.stringify({ mode: 'RENDER', template_id: exampleTemplate.templateId, data: exampleTemplate.data });
  return [
    `curl -sS --fail-with-body ${baseUrl}/api/v1/render -H 'Authorization: Bearer ${testKey}'`,
    ` -H 'Content-Type: application/json' -H 'Accept: application/pdf' -d ${quoteForShell(body)} -o invoice.pdf`,
  ].join('');
};

/** The service goes on without its output, as without its log. `whatWasLost` is a sentence, or nothing. */
const printLines = (lines: readonly string[], whatWasLost: string): void =>
  writeStandardOutput(`${lines.join('\n')}\n`, ({ code = '', message }) => {
    const reason = fileErrorReasons[code] ?? message;
    process.stderr.write(`The standard output could not be written: ${reason}. ${whatWasLost}`.trimEnd() + '\n');
  });

/**
 * Prints that the API is ready, with a link to the dashboard; on the first start also the keys of the default account
 * and an example request.
 */
const printApiReady: StartupOutput['apiReady'] = (settings, address, { defaultAccount, signInToken }) => {
  const baseUrl =
    settings.port === 0 && typeof address === 'object' && address
      ? `http://${settings.host}:${address.port}`
      : settings.baseUrl;
  const lines = [`Colophon is ready at ${baseUrl} (API reference: ${baseUrl}/docs)`];
  if (defaultAccount) {
    lines.push(
      '',
      'An account "default" was created, with seven example templates. Its keys are shown only once:',
      `  live  ${defaultAccount.liveKey}`,
      `  test  ${defaultAccount.testKey}`,
      '',
      'Run this to render a first PDF, invoice.pdf:',
      '',
      exampleRequest(baseUrl, defaultAccount),
      '',
    );
  }
  lines.push(
    signInToken === null
      ? 'Dashboard: "colophon dashboard" prints a link to sign in.'
      : `Dashboard (this link signs you in once, within 15 minutes): ${signInUrl(baseUrl, signInToken)}`,
  );
  printLines(
    lines,
    defaultAccount
      ? 'The keys of the account "default" were not shown. "colophon key create --account default" issues a new key.'
      : '',
  );
};

/** Prints the health address of a process without an API. */
const printHealthAddress: StartupOutput['healthReady'] = (roles, { host }, address) => {
  const port = typeof address === 'object' ? address?.port : address;
  printLines([`Colophon (${roles.join(', ')}) serves its health at http://${host}:${port}/health/ready`], '');
};

/** What `colophon start` prints. */
export const startupOutput: StartupOutput = { apiReady: printApiReady, healthReady: printHealthAddress };
