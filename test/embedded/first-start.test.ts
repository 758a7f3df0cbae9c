import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SessionResponse } from '#contracts/http/session.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const at = serviceForTestFile(() => ({
  COLOPHON_DATADIR: './elsewhere',
  COLOPHON_KEY: 'svc_live_x',
  LOG_LEVEL: 'trace',
}));
let line: string;
beforeAll(() => {
  line = /^curl .*$/m.exec(at.service.output())![0];
});

const runInFolder = async (command: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-first-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const result = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const child = execFile('sh', ['-c', command], { cwd: folder }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
  return { ...result, invoice: await readFile(join(folder, 'invoice.pdf')) };
};

describe('The line that the first start prints', () => {
  it('makes an invoice of one page when it is pasted into a shell', async () => {
    const { code, stderr, invoice } = await runInFolder(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const pages = await readPdf(invoice.toString('base64'));
    expect(pages).toHaveLength(1);
    expect(pages[0]!.text).toMatch(/invoice/i);
  });

  it('fails visibly if the service rejects the request', async () => {
    const { code, stderr, invoice } = await runInFolder(line.replace('svc_test_', 'svc_test_x'));
    expect(code).toBe(22);
    expect(stderr).toContain('401');
    expect(invoice.toString()).toContain('"error":"invalid_api_key"');
  });
});

it('A start warns about a misspelt setting, and names the right one', () => {
  const lines = at.service.output().split('\n');
  expect(lines.filter((text) => text.includes('is no setting')).map((text) => JSON.parse(text) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', variable: 'COLOPHON_DATADIR', did_you_mean: 'COLOPHON_DATA_DIR' }),
  ]);
});

type Link = { url: string; token: string; expires_at: string; account_id: string | null; operator: boolean };
const createLink = (...options: string[]) => at.installation.runJsonCommand<Link>('dashboard', ...options);

const signIn = async (token: string) => {
  const response = await fetch(`${at.service.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: at.service.url },
    body: JSON.stringify({ token }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: response.status, body: (await response.json()) as SessionResponse & { error: string }, cookie };
};

const startupLink = () => /http\S+\/dashboard\/sign-in#(\S+)/.exec(at.service.output())!;

describe('The link that the start prints', () => {
  it('has the token behind #, and makes the user of the machine owner of the default account', async () => {
    const [url, token] = startupLink();
    // Passkeys need a host name.
    expect(url).toBe(`${at.service.url.replace('127.0.0.1', 'localhost')}/dashboard/sign-in#${token}`);
    const { status, body } = await signIn(token!);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      person: { email: null, operator: false },
      accounts: [{ name: 'default', role: 'owner' }],
    });
    expect((await signIn(token!)).body.error).toBe('used_sign_in_link');
  });
});

describe('"colophon dashboard"', () => {
  it('prints a link for a person and a role', async () => {
    const link = await createLink('--account', 'default', '--email', 'Ada@Example.com', '--role', 'developer');
    expect(link.url).toMatch(/^http:\/\/localhost:\d+\/dashboard\/sign-in#/);
    expect(link.url.split('#')[1]).toBe(link.token);
    const { body } = await signIn(link.token);
    expect(body).toMatchObject({
      person: { email: 'ada@example.com', operator: false },
      account: { id: link.account_id, role: 'developer' },
    });
  });

  it('prints a link for an operator, who needs no account', async () => {
    const link = await createLink('--operator', '--email', 'operator@example.com');
    expect(link).toMatchObject({ account_id: null, operator: true });
    expect((await signIn(link.token)).body).toMatchObject({ person: { operator: true }, accounts: [] });
  });

  it('prints operators, and revokes one', async () => {
    const { cookie } = await signIn((await createLink('--operator', '--email', 'leaver@example.com')).token);
    const operatorArea = async () =>
      (await fetch(`${at.service.url}/api/v1/operator/accounts`, { headers: { cookie } })).status;
    expect(await operatorArea()).toBe(200);
    const run = (...args: string[]) => at.installation.runCommand('operator', ...args);
    expect((await run('list')).stdout).toContain('leaver@example.com');
    expect((await run('revoke', 'Leaver@example.com')).code).toBe(0);
    expect(await operatorArea()).toBe(403);
    const again = await run('revoke', 'leaver@example.com');
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is not an operator') });
  });

  it('gives another role to another person than the user of the machine', async () => {
    const { body } = await signIn((await createLink('--role', 'viewer')).token);
    expect(body.account?.role).toBe('viewer');
    expect(body.person.name).toMatch(/ \(viewer\)$/);
  });

  it('explains wrong options', async () => {
    const run = (...args: string[]) => at.installation.runCommand('dashboard', ...args);
    expect(await run('--email', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('an email') });
    expect(await run('--account', 'other')).toMatchObject({ code: 2, stderr: expect.stringContaining('no account') });
    expect(await run('--operator', '--role', 'viewer')).toMatchObject({ code: 2 });
  });
});

it('No token is in the log, in the event log or in any other file', async () => {
  const { token } = await createLink('--email', 'secret@example.com');
  const { cookie } = await signIn(token);
  const read = await fetch(`${at.service.url}/api/v1/session`, { headers: { cookie } });
  expect(read.status).toBe(200);
  const secrets = [token.split('.')[1]!, cookie.split('.')[1]!];
  expect(secrets.map(({ length }) => length)).toEqual([43, 43]);
  const files = (await readdir(at.installation.dataDir, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const contents = await Promise.all(files.map((one) => readFile(join(one.parentPath, one.name), 'latin1')));
  expect(contents.join('').length).toBeGreaterThan(10_000);
  for (const secret of secrets) {
    expect(at.service.output()).not.toContain(secret);
    expect(contents.filter((content) => content.includes(secret))).toEqual([]);
  }
});
