import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileDocument, hostileDocuments } from '../fixtures/documents/hostile-documents.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
let server: Server;
let connections = 0;
let documents: Record<string, HostileDocument>;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  documents = hostileDocuments(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const names = Object.keys(hostileDocuments(''));

describe.skipIf(!isOfficeAvailable)('A hostile document', () => {
  it.each(names)('with %s ends as it should, and reaches nothing', async (name) => {
    const { inputType, file, end } = documents[name]!;
    const { status, body } = await caller.convert(inputType, file.toString('base64'));
    const outcome = status === 200 ? 'a PDF' : String(body['error']);
    expect([outcome, status === 200 ? '' : body['message']]).toEqual([end, expect.any(String)]);
    expect(connections).toBe(0);
    if (status !== 200) return;
    const texts = (await readPdf(String(body['pdf_base64']))).slice(0, 3).map(({ text }) => text);
    expect(texts.join(' ')).not.toContain('root:');
  });
});
