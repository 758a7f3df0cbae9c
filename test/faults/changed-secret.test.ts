import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../support/client/api-client.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { runColophonHere } from '../support/service/in-process-command.ts';
import { openTestInstallation } from '../support/service/installation.ts';

it('"colophon verify" of a PDF with passwords needs the former secret, and says so in one line', async () => {
  const installation = await openTestInstallation();
  onTestFinished(() => installation.remove());
  const service = await installation.start();
  const client = createClient(service.url, await createUnlimitedKey(installation));
  const { id } = await client.render('html', '<p>x</p>', { encryption: { user_password: 'tulip 7261' } });
  await service.stop('SIGTERM');
  const former = `base64:${readFileSync(join(installation.dataDir, 'secret.key'), 'utf8').trim()}`;
  const env = { ...installation.env, COLOPHON_SECRET: 'another secret that is long enough' };
  const run = (args: string[], more = {}) => runColophonHere(args, { ...env, ...more });
  expect((await run(['installation', 'accept-secret'])).code).toBe(0);

  expect(await run(['verify', id])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^render_\w+: The passwords .* cannot be decrypted\. .*COLOPHON_PREVIOUS_SECRETS.*\n$/,
    ),
  });
  const { code, stdout } = await run(['verify', id], { COLOPHON_PREVIOUS_SECRETS: former });
  expect([code, stdout]).toEqual([0, expect.stringContaining('the same bytes')]);
});
