import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { checkWithQpdf, isQpdfAvailable, runQpdf } from '../support/documents/qpdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const user = 'open-sesame-7261';
const owner = 'owner-of-cave-4482';
const encryption = { user_password: user, owner_password: owner };
const bytes = (base64: unknown): Uint8Array => Buffer.from(String(base64), 'base64');
const page = '<!doctype html><html lang="en"><title>T</title><h1>Findable heading</h1>';

const textWith = async (pdf: Uint8Array, password?: string): Promise<string> => {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const options = password === undefined ? {} : { password };
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0, ...options });
  try {
    const { items } = await (await (await task.promise).getPage(1)).getTextContent();
    return items.map((item) => ('str' in item ? item.str : '')).join('');
  } catch (error) {
    return (error as Error).name;
  } finally {
    await task.destroy();
  }
};

describe('A PDF with passwords', () => {
  it('opens with either, and is encrypted as a whole', async () => {
    const { pdf_base64: base64 } = await caller.render('html', page, {
      encryption: { ...encryption, permissions: { print: 'none', copy: false } },
      metadata: { author: 'A. Meier' },
      tagged: true,
      outline: true,
    });
    const pdf = bytes(base64);
    expect(await textWith(pdf)).toBe('PasswordException');
    expect(await textWith(pdf, 'wrong')).toBe('PasswordException');
    expect(await textWith(pdf, user)).toContain('Findable heading');
    expect(await textWith(pdf, owner)).toContain('Findable heading');
    if (!isQpdfAvailable) return;
    expect(await checkWithQpdf(pdf, user)).toMatchObject({ isGood: true });
    const { output } = await runQpdf(pdf, ['--show-encryption'], user);
    expect(output).toMatch(/^R = 6$/m);
    expect(output).toMatch(/^print low resolution: not allowed$/m);
    expect(output).toMatch(/^extract for any purpose: not allowed$/m);
    expect(output).toMatch(/^extract for accessibility: allowed$/m);
  });

  it('has the same bytes when it is verified, and others when it is repeated', async () => {
    const first = await caller.render('html', page, { encryption });
    const verified = await caller.request('POST', `/api/v1/renders/${first.id}/verify`);
    expect(verified.body).toMatchObject({ matches: true });
    const repeated = await caller.request('POST', `/api/v1/renders/${first.id}/repeat`);
    expect(repeated.status).toBe(200);
    expect(await textWith(bytes(repeated.body['pdf_base64']), user)).toContain('Findable heading');
    expect(repeated.body['pdf_base64']).not.toBe(first.pdf_base64);
  });

  it('conforms to PDF/UA if assistive technology may read it', async () => {
    const conformance = 'pdf/ua-1';
    const { pdf_base64: pdf } = await caller.render('html', page, { conformance, encryption });
    expect(await textWith(bytes(pdf), user)).toContain('Findable heading');
    const permissions = { accessibility: false };
    const refused = await caller.convert('html', page, { conformance, encryption: { ...encryption, permissions } });
    expectErrorResponse(refused, 'invalid_request', { field: 'encryption.permissions.accessibility' });
  });

  it('leaves no trace of its passwords in responses, events and exports', async () => {
    const { id } = await caller.render('html', page, { encryption });
    const paths = [
      `/renders/${id}`,
      `/renders/${id}/events`,
      `/renders/${id}/diagnostics?rerender=true`,
      '/renders',
      '/events',
    ];
    for (const path of paths) {
      const response = await caller.request('GET', `/api/v1${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.text).not.toMatch(new RegExp(`${user}|${owner}`));
    }
    const { body } = await caller.request('GET', `/api/v1/renders/${id}`);
    const { options } = body['request'] as { options: Body };
    expect(options['encryption']).toMatchObject({ user_password: '***', owner_password: '***' });
  });

  it('cannot be stored with a template, but sent with a render of one', async () => {
    const templates = createTemplateClient(caller);
    const stored = await caller.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'with a password', content: page, default_options: { encryption } }),
    });
    expectErrorResponse(stored, 'invalid_request', { field: 'default_options.encryption' });
    expect(stored.body.message).toMatch(/could read its passwords/);
    expect(stored.text).not.toContain(user);
    const { id } = await templates.create(page);
    const rendered = await templates.render(id, {}, { encryption });
    expect(await textWith(bytes(rendered.body['pdf_base64']), user)).toContain('Findable heading');
  });
});

describe('A request for encryption', () => {
  it.each<[string, Body, string, RegExp]>([
    ['PDF/A', { conformance: 'pdf/a-3b', encryption }, 'encryption', /encryption and conformance "pdf\/a-3b" exclude/],
    ['no password', { encryption: {} }, 'encryption', /user_password, owner_password, or both/],
    [
      'one password for both',
      { encryption: { user_password: user, owner_password: user } },
      'encryption.owner_password',
      /must differ/,
    ],
    [
      'two passwords that are typed in different ways',
      { encryption: { user_password: `ﬁ${user}`, owner_password: `fi${user}` } },
      'encryption.owner_password',
      /must differ/,
    ],
    ['an empty password', { encryption: { user_password: '' } }, 'encryption.user_password', /at least 1/],
    ['a masked password', { encryption: { user_password: '***' } }, 'encryption.user_password', /masked/],
    ['a long password', { encryption: { user_password: 'ü'.repeat(64) } }, 'encryption.user_password', /127 bytes/],
    ['a control character', { encryption: { user_password: `${user}\u0007` } }, 'encryption.user_password', /control/],
    ['a number as password', { encryption: { user_password: 7261448 } }, 'encryption.user_password', /must be text/],
    [
      'a wrong permission',
      { encryption: { ...encryption, permissions: { print: 'all' } } },
      'encryption.permissions.print',
      /none, low, high/,
    ],
    ['an unknown field', { encryption: { ...encryption, permission: {} } }, 'encryption.permission', /did you mean/],
    ['a field of other services', { userPassword: user }, 'userPassword', /`encryption`/],
  ])('is refused with %s, and the error has no password', async (_name, options, field, message) => {
    const response = await caller.convert('html', page, options);
    expectErrorResponse(response, 'invalid_request', { field });
    expect(response.body.message).toMatch(message);
    expect(response.text).not.toMatch(/sesame|cave|7261448/);
  });
});
