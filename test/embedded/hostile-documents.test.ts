import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileDocuments } from '../fixtures/documents/hostile-documents.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  // The time limit of other plans can end documents first on a busy machine.
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});

let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => new Promise((resolve) => server.close(resolve)));
const documents = hostileDocuments(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

describe.skipIf(!isOfficeAvailable)('A hostile document', () => {
  it.each(Object.entries(documents))('with %s ends as it should, and reaches nothing', async (_, document) => {
    const { inputType, file, end } = document;
    const { status, body } = await caller.convert(inputType, file.toString('base64'));
    const outcome = status === 200 ? 'a PDF' : String(body['error']);
    expect([outcome, status === 200 ? '' : body['message']]).toEqual([end, expect.any(String)]);
    expect(connections).toBe(0);
    if (status !== 200) return;
    const texts = (await readPdf(String(body['pdf_base64']))).slice(0, 3).map(({ text }) => text);
    expect(texts.join(' ')).not.toContain('root:');
  });
});
