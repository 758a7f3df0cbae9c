import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { pdfBytes } from '../support/documents/read-pdf.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const compose = (parts: Body[], options: Body = {}): Promise<ApiResponse> =>
  caller.postRender({ mode: 'COMPOSE', parts, ...options });

describe('The input of a composed document', () => {
  it('is checked in linear time, whatever is in the place of base64', async () => {
    const response = await compose([{ mode: 'PDF', data: `${' '.repeat(2_000_000)}!` }]);
    expect(response.body).toMatchObject({ error: 'invalid_request', field: 'parts[0].data' });
  });

  it('stays when a kept PDF with the same bytes is erased', async () => {
    const kept = await caller.render('html', '<h1>Kept', { keep_pdf: true });
    const composed = await compose([{ mode: 'PDF', data: kept.pdf_base64 }]);
    expect(composed.status).toBe(200);
    const sha256 = createHash('sha256').update(pdfBytes(kept.pdf_base64)).digest('hex');
    // As the sweeper does when the time of the PDF is over.
    await withInstallationEngines(at.installation, ({ blobs }) => blobs.delete(sha256));
    const repeated = await caller.request('POST', `/api/v1/renders/${String(composed.body['id'])}/repeat`);
    expect([repeated.status, repeated.body['pages']]).toEqual([200, 1]);
    const { body: input } = await caller.request('GET', `/api/v1/renders/${String(composed.body['id'])}/input`);
    expect(input).toMatchObject({ parts: [{ mode: 'PDF', data: kept.pdf_base64 }] });
  });
});

it('The recorded parts have all digits of long numbers', async () => {
  const data = parseExactJson('{"n":12345678901234567890}');
  const composed = await compose([{ mode: 'CONVERT', input_type: 'json', data }]);
  const input = await caller.request('GET', `/api/v1/renders/${String(composed.body['id'])}/input`);
  expect(input.text).toContain('"data":{"n":12345678901234567890}');
});

describe('The time after printing', () => {
  it('is the phase finish of a render, and 0 if there was nothing to do', async () => {
    const timings = async (id: unknown): Promise<Record<string, number>> => {
      const { body } = await caller.request('GET', `/api/v1/renders/${String(id)}`);
      return body['timings_ms'] as Record<string, number>;
    };
    const part = { mode: 'CONVERT', input_type: 'html', data: '<h1>Part' };
    const [plain, conforming, composed] = await Promise.all([
      caller.render('html', '<h1>Plain'),
      caller.render('html', '<h1>Archived', { conformance: 'pdf/a-3b' }),
      compose([part, part]),
    ]);
    expect(await timings(plain.id)).toMatchObject({ finish: 0 });
    for (const id of [conforming.id, composed.body['id']]) {
      expect((await timings(id))['finish']).toBeGreaterThan(0);
    }
  });
});
