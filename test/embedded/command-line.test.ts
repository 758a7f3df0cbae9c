import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../support/client/api-client.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { runColophon } from '../support/service/colophon-process.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { sha256Of } from '../support/sha256.ts';

const at = serviceForTestFile();
const run = (...args: string[]) => at.installation.runCommand(...args);

it('"colophon --version" prints the version of package.json', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('An account', () => {
  it('is found by its name', async () => {
    await openAccount(at.installation, '--name', 'Paper Mill', '--plan', 'pro');
    expect(await at.installation.runJsonCommand('account', 'show', 'Paper Mill')).toMatchObject({ name: 'Paper Mill' });
    expect((await run('key', 'create', '--account', 'Paper Mill', '--type', 'test')).code).toBe(0);
  });

  it('that shares its name with others must be named by its id', async () => {
    const [one, other] = [
      await openAccount(at.installation, '--name', 'Twins', '--plan', 'pro'),
      await openAccount(at.installation, '--name', 'Twins', '--plan', 'free'),
    ];
    const third = await run('account', 'create', '--name', 'Twins', '--plan', 'free');
    expect(third.stdout).toMatch(/was created with the plan free\. Another account has this name, too: use their ids/);
    const { code, stderr } = await run('account', 'suspend', 'Twins', '--reason', 'x');
    expect(code).toBe(2);
    for (const id of [one, other]) expect(stderr).toContain(id);
    expect(await at.installation.runJsonCommand('account', 'show', other)).toMatchObject({ plan: 'free' });
  });
});

describe('"colophon account settings"', () => {
  it('shows the settings, and changes those that are named', async () => {
    const account = await openAccount(at.installation, '--name', 'Settled');
    const settings = (...args: string[]) => at.installation.runJsonCommand('account', 'settings', account, ...args);
    const defaults = { locale: null, time_zone: null, pdf_retention_minutes: null, applied_pdf_retention_minutes: 60 };
    expect(await settings()).toEqual({ id: account, name: 'Settled', ...defaults });
    expect(await settings('--name', 'Moved', '--locale', 'de-at', '--pdf-retention-minutes', '90')).toMatchObject({
      name: 'Moved',
      locale: 'de-AT',
      applied_pdf_retention_minutes: 90,
    });
    expect(await settings('--locale', 'default', '--time-zone', 'Europe/Vienna')).toMatchObject({
      locale: null,
      time_zone: 'Europe/Vienna',
      pdf_retention_minutes: 90,
    });
  });

  it.each([
    ['--locale', 'xx-nowhere', 'language tag'],
    ['--time-zone', '+01:00', 'IANA time zone'],
    ['--pdf-retention-minutes', '9', 'MAX_PDF_RETENTION_MINUTES'],
  ])('refuses %s %s', async (option, value, message) => {
    const { code, stderr } = await run('account', 'settings', 'default', option, value);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

it('A key that expires in the past is refused', async () => {
  const { code, stderr } = await run(
    'key',
    'create',
    '--account',
    'default',
    '--type',
    'live',
    '--expires-at',
    '2020-01-01',
  );
  expect([code, stderr]).toEqual([2, expect.stringMatching(/must be in the future; now it is 20\d\d-/)]);
});

describe('"colophon events"', () => {
  it('accepts every id that the API prints', async () => {
    const account = await openAccount(at.installation, '--name', 'events', '--plan', 'enterprise');
    const key = await issueKey(at.installation, account);
    const client = createClient(at.service.url, key.key);
    const { id: renderId } = await client.render('html', '<p>x</p>');
    const template = await client.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a', content: '<p>x</p>' }),
    });
    for (const [id, firstEvent] of [
      [renderId, 'RenderRequested'],
      [renderId.replace('render_', 'job_'), 'RenderRequested'],
      [renderId.replace('render_', 'render-'), 'RenderRequested'],
      [String(template.body.id), 'TemplateCreated'],
      [account, 'AccountOpened'],
      [key.id, 'ApiKeyIssued'],
    ] as const) {
      const events = await at.installation.runJsonCommand<{ type: string }[]>('events', id);
      expect(events[0]?.type).toBe(firstEvent);
    }
  });

  it('shows the events as the API does', async () => {
    const account = await openAccount(at.installation, '--name', 'events of the API', '--plan', 'enterprise');
    const client = createClient(at.service.url, (await issueKey(at.installation, account)).key);
    const { id } = await client.render('html', '<p>x</p>');
    const { body } = await client.request('GET', `/api/v1/renders/${id}/events`);
    expect(await at.installation.runJsonCommand('events', id)).toEqual(body['events']);
    const { stdout } = await at.installation.runCommand('events', id);
    expect(stdout).toContain(`"account_id":"${account}"`);
    const raw = await at.installation.runJsonCommand<{ data: object }[]>('events', id, '--raw');
    expect(raw[0]!.data).toHaveProperty('accountId', account.replace('acc_', ''));
  });

  it('of an unknown id says which ids there are', async () => {
    const { code, stderr } = await run('events', 'pdf_1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/render_<id>, job_<id>, tpl_<id>, acc_<id>, key_<id>/)]);
  });
});

it('"colophon renders" lists the renders of an account, newest first, in pages', async () => {
  const account = await openAccount(at.installation, '--name', 'lists', '--plan', 'enterprise');
  const client = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  const { id: first } = await client.render('html', '<p>x</p>');
  await client.convert('html', '<p');
  const list = (...args: string[]) =>
    at.installation.runJsonCommand<{ renders: { id: string; error: string | null }[]; next_cursor: string | null }>(
      'renders',
      ...args,
      '--account',
      'lists',
    );
  const all = await list();
  expect(all).toEqual({
    renders: [
      expect.objectContaining({ status: 'FAILED', error: 'invalid_html' }),
      expect.objectContaining({ id: first, status: 'DONE', input: 'html', pages: 1, asynchronous: false }),
    ],
    next_cursor: null,
  });
  const page = await list('--limit', '1');
  expect([page.renders, await list('--cursor', page.next_cursor!)]).toEqual([
    [all.renders[0]],
    { renders: [all.renders[1]], next_cursor: null },
  ]);
  expect((await list('--status', 'DONE')).renders).toEqual([all.renders[1]]);
  const { stdout } = await at.installation.runCommand('renders', '--account', 'lists');
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}render_/m);
});

it('"colophon verify --output" writes the PDF', async () => {
  const account = await openAccount(at.installation, '--name', 'verify', '--plan', 'enterprise');
  const { key } = await issueKey(at.installation, account);
  const { id, pdf_base64: pdf } = await createClient(at.service.url, key).render('html', '<p>x</p>');
  const file = join(at.installation.dataDir, 'again.pdf');
  expect((await run('verify', id, '--output', file)).stdout).toMatch(/the same bytes/);
  expect(sha256Of(await readFile(file))).toBe(sha256Of(Buffer.from(pdf, 'base64')));
  const failed = await run('verify', id, '--output', join(at.installation.dataDir, 'no/such/folder.pdf'));
  expect([failed.code, failed.stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be written: its folder does not exist/),
  ]);
});

it('"colophon start" on a port in use says so in one line, before anything else starts', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dataDir = join(at.installation.dataDir, 'never');
  const { code, stdout, stderr } = await runColophon(['start'], {
    ...at.installation.env,
    PORT: String(port),
    COLOPHON_DATA_DIR: dataDir,
  });
  server.close();
  expect([code, stdout, stderr]).toEqual([1, '', `Port ${port} is in use; set PORT to a free port.\n`]);
  await expect(readFile(join(dataDir, 'secret.key'))).rejects.toThrow('ENOENT');
});

it('"colophon config" shows wrong values, and says which a start would refuse', async () => {
  const env = { ...at.installation.env, PORT: 'abc', TLS_CERT_FILE: import.meta.filename };
  const { code, stdout, stderr } = await runColophon(['config'], env);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^PORT=abc {2}\(environment\)$/m)]);
  expect(stderr).toBe(
    'A start would refuse these settings:\nPORT is "abc"; allowed is a whole number from 0 to 65535.\n' +
      'TLS_CERT_FILE is set without TLS_KEY_FILE; allowed is both or neither.\n',
  );
  expect(await run('config')).toMatchObject({ code: 0, stderr: '' });
});

it.each([
  ['events'],
  ['rebuild'],
  ['verify'],
  ['render'],
  ['renders'],
  ['template', 'push'],
  ['check'],
  ['config'],
  ['account', 'list'],
  ['account', 'show'],
  ['key', 'revoke'],
  ['installation', 'show'],
])('"colophon %s %s --help" has examples', async (...command) => {
  expect((await run(...command.filter(Boolean), '--help')).stdout).toMatch(/Examples:\n\s+\$ colophon /);
});
