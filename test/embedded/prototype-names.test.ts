import { beforeAll, describe, expect, it } from 'vitest';
import { optionalRenderOptionFields } from '#contracts/http/render-options.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const good = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };

describe('A name that every JavaScript object has', () => {
  it('is a wrong value like others, or text', async () => {
    for (const field of ['mode', 'input_type', 'data', ...Object.keys(optionalRenderOptionFields)])
      for (const value of ['constructor', '__proto__', { constructor: 'toString' }, ['valueOf']]) {
        const { status } = await caller.postRender({ ...good, [field]: value });
        expect([200, 400, 422], `${field}: ${JSON.stringify(value)}`).toContain(status);
      }
  });

  it('can be the name of an element beside assets', async () => {
    const form = new FormData();
    form.append('mode', 'CONVERT');
    form.append('file', new Blob(['<constructor src="a.txt">x</constructor>']), 'index.html');
    form.append('assets', new Blob(['GIF89a']), 'a.gif');
    const { status, body } = await caller.request('POST', '/api/v1/render', { body: form });
    expect(body).toMatchObject({ pages: 1 });
    expect(status).toBe(200);
  });
});
