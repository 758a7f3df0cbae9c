import { hash } from 'node:crypto';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { sendKeptPdf } from './send-pdf.ts';

const pdf = Buffer.from('%PDF-1.7');
const sha256 = hash('sha256', pdf);

test('A PDF that is stored again between two reads is sent, and not called lost', async () => {
  let isStored = false;
  const blobs = {
    get: async () => {
      if (!isStored) throw new BlobNotFound(sha256);
      return pdf;
    },
    has: async () => (isStored = true),
  } as unknown as Parameters<typeof sendKeptPdf>[0]['blobs'];
  const kept = {
    sha256,
    size: pdf.byteLength,
    contentType: 'application/pdf',
    fileName: 'a.pdf',
    keptUntil: '2026-05-01T01:00:00.000Z',
    second: 'being stored',
  } as Parameters<typeof sendKeptPdf>[3];
  const dependencies = {
    blobs,
    eventLog: { now: () => new Date('2026-05-01T00:00:00.000Z') },
    transfers: { beginResponse: () => undefined },
  } as unknown as Parameters<typeof sendKeptPdf>[0];
  const app = fastify();
  app.get('/', (_, reply) => sendKeptPdf(dependencies, reply, 'a', kept));
  const response = await app.inject('/');
  expect([response.statusCode, response.rawPayload]).toEqual([200, pdf]);
  await app.close();
});
