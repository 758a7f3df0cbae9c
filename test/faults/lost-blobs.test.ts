import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemplateBody } from '#contracts/events/template.ts';
import type { RenderSource } from '#contracts/events/render-request.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { areServersAvailable, openServersEnvironment } from '../support/environment.ts';
import { waitUntil } from '../support/wait-until.ts';
import { readRenderHistories, eventTypesOf } from '../support/renders/render-histories.ts';

let installation: TestInstallation;
let key: string;
beforeEach(async () => {
  installation = await openTestInstallation();
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
});
afterEach(() => installation.remove());

const clientOf = ({ url }: RunningService): ApiClient => createClient(url, key);

const missingOf = async ({ url }: RunningService): Promise<string> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing.join();
};

/** Deletes a blob from the store. Returns a function that puts it back. */
const deleteBlob = (sha256: string) =>
  withInstallationEngines(installation, async ({ blobs }) => {
    const bytes = await blobs.get(sha256);
    await blobs.delete(sha256);
    return () => withInstallationEngines(installation, async (engines) => void (await engines.blobs.put(bytes)));
  });

/** The template that was created last. */
const createdTemplate = (): Promise<TemplateBody> =>
  withInstallationEngines(installation, async ({ store }) => {
    const created = (await store.readAll(0, 1_000)).findLast(({ type }) => type === 'TemplateCreated')!;
    return (created.data as { body: TemplateBody }).body;
  });

const linesOf = (service: RunningService, message: string): Record<string, unknown>[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('A blob that the event log names and that is missing in the blob store', () => {
  it.skipIf(!areServersAvailable)(
    'makes the process unready and costs no document an attempt, until it is back',
    async () => {
      await installation.remove();
      installation = await openTestInstallation({}, await openServersEnvironment());
      key = await createUnlimitedKey(installation, '--plan', 'enterprise');
      const front = await installation.start('api', 'relay', 'projector');
      const jobs = createJobClient(clientOf(front));
      const [lost, other] = [
        await jobs.submitAsync({}, { mode: 'CONVERT', input_type: 'html', data: '<p>lost for a while' }),
        await jobs.submitAsync(),
      ];
      const history = (await readRenderHistories(installation)).get(lost.id.replace('_', '-'))!;
      const { input } = (history[0]!.data as { source: Extract<RenderSource, { mode: 'CONVERT' }> }).source;
      const putBack = await deleteBlob(input.sha256);

      const renderer = await installation.startWithoutWaiting('renderer');
      expect((await jobs.waitUntilEnded(other.job_id)).status).toBe('DONE');
      await waitUntil('the blob store is named', async () => (await missingOf(renderer)).includes('BLOB_STORE_URL'));
      expect(await missingOf(renderer)).toContain(input.sha256);
      await putBack();
      await waitUntil(
        'the renderer is ready',
        async () => (await fetch(`${renderer.url}/health/ready`)).status === 200,
      );
      expect((await jobs.waitUntilEnded(lost.job_id)).status).toBe('DONE');
      expect(eventTypesOf((await readRenderHistories(installation)).get(lost.id.replace('_', '-'))!)).toEqual([
        'RenderRequested',
        'RenderStarted',
        'RenderCompleted',
      ]);
      expect(
        linesOf(renderer, 'render could not be processed').filter(({ times }) => times === undefined),
      ).toHaveLength(1);
      for (const service of [front, renderer]) expect((await service.stop('SIGTERM')).code).toBe(0);
    },
  );

  it('is named to a reader of an old input, and makes nothing unready that does not need it', async () => {
    let service = await installation.start();
    const data = `<p>x<!--${'x'.repeat(100_000)}-->`;
    const { id } = await clientOf(service).render('html', data);
    await service.stop('SIGTERM');
    const history = (await readRenderHistories(installation)).get(id.replace('_', '-'))!;
    const { sha256 } = (history[0]!.data as { source: Extract<RenderSource, { mode: 'CONVERT' }> }).source.input;
    const folder = join(installation.env['COLOPHON_DATA_DIR']!, 'blobs');
    const names = await readdir(folder, { recursive: true });
    await writeFile(
      join(
        folder,
        names.find((name) => name.endsWith(sha256.slice(2)))!,
      ),
      'damaged',
    );
    service = await installation.start();
    const { body } = await clientOf(service).request('GET', `/api/v1/renders/${id}/input`);
    const message = expect.stringContaining('is damaged in the blob store');
    expect(body).toMatchObject({ error: 'input_not_available', message });
    expect(await missingOf(service)).toBe('');
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });

  it('is named by a command that needs it, with the command that finds all of them', async () => {
    const service = await installation.start();
    const template = createTemplateClient(clientOf(service));
    await template.create('<p>unique {{x}}');
    const { id } = await clientOf(service).render('html', '<p>unique');
    await service.stop('SIGTERM');
    const { source } = (await readRenderHistories(installation)).get(id.replace('_', '-'))![0]!.data as {
      source: Extract<RenderSource, { mode: 'CONVERT' }>;
    };
    const { content } = await createdTemplate();
    const dir = join(installation.dataDir, 'pulled');
    for (const [sha256, command] of [
      [content.sha256, ['template', 'pull', '--account', 'tests', '--dir', dir]],
      [source.input.sha256, ['verify', id]],
    ] as const) {
      await deleteBlob(sha256);
      expect(await installation.runCommand(...command)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^The blob store has no blob ${sha256}\\. "colophon check" .*\n$`)),
      });
    }
  });

  it('is reported to callers as unavailable, so that they retry', async () => {
    let service = await installation.start();
    const created = await clientOf(service).request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'T', content: '<p>unique {{x}}', category: 'other' }),
    });
    expect(created.status, created.text).toBe(201);
    const path = `/api/v1/templates/${String(created.body['id'])}`;
    const { content } = await createdTemplate();
    await service.stop('SIGTERM');
    const putBack = await deleteBlob(content.sha256);
    service = await installation.start();
    expectErrorResponse(await clientOf(service).request('GET', path), 'service_unavailable');
    expect(await missingOf(service)).toContain('BLOB_STORE_URL');
    await putBack();
    await waitUntil('the template is there', async () => (await clientOf(service).request('GET', path)).status === 200);
    expect(await missingOf(service)).toBe('');
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });

  it('is named in the log if it is a stored PDF, whose caller is told what to do; verifying the PDF stores it again', async () => {
    const service = await installation.start();
    const { request } = clientOf(service);
    const post = (path: string, fields: object) =>
      request('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) });
    const { body } = await post('/api/v1/render', {
      mode: 'CONVERT',
      input_type: 'html',
      // So much that the PDF has a file of its own.
      data: Array.from({ length: 20_000 }, (_, n) => (n * 7_919_999).toString(36)).join(' '),
      keep_pdf: true,
      thumbnail: true,
    });
    const paths = [`/api/v1/renders/${String(body['id'])}/pdf`, `/api/v1/download/${String(body['id'])}`];
    const history = (await readRenderHistories(installation)).get(String(body['id']).replace('_', '-'))!;
    const { pdf, thumbnail } = history.at(-1)!.data as Record<'pdf' | 'thumbnail', { sha256: string }>;
    const { headers } = await request('GET', paths[0]!);
    const damageBlob = async (): Promise<void> => {
      const folder = join(installation.env['COLOPHON_DATA_DIR']!, 'blobs');
      const names = await readdir(folder, { recursive: true });
      await writeFile(
        join(
          folder,
          names.find((name) => name.endsWith(pdf.sha256))!,
        ),
        'damaged',
      );
    };
    for (const spoil of [() => deleteBlob(pdf.sha256), damageBlob]) {
      await spoil();
      for (const path of paths) {
        const lost = await request('GET', path);
        expectErrorResponse(lost, 'service_unavailable');
        expect(lost.body['message']).toContain('The stored PDF is lost or damaged.');
      }
      const compared = await post(`/api/v1/renders/${String(body['id'])}/verify`, {});
      expect([compared.status, compared.body['matches']], compared.text).toEqual([200, true]);
      expect(await missingOf(service)).toBe('');
      // The thumbnail is still there.
      const shown = await request('GET', `${paths[1]!}/thumbnail`);
      expect(shown.status, shown.text.slice(0, 300)).toBe(200);
      const verified = await post(`/api/v1/renders/${String(body['id'])}/verify`, { keep_pdf: true });
      expect([verified.status, verified.body['matches']], verified.text).toEqual([200, true]);
      expect(await missingOf(service)).toBe('');
      // It is stored after its event.
      const etagOf = async (path: string) => (await request('GET', path)).headers.get('etag');
      for (const path of paths) await expect.poll(() => etagOf(path)).toBe(headers.get('etag'));
    }
    await deleteBlob(thumbnail.sha256);
    const pathOfThumbnail = `${paths[1]!}/thumbnail`;
    const lost = await request('GET', pathOfThumbnail);
    expectErrorResponse(lost, 'service_unavailable');
    expect(lost.body['message']).toContain('thumbnail');
    expect((await request('GET', paths[1]!)).status).toBe(200);
    await post(`/api/v1/renders/${String(body['id'])}/verify`, { keep_pdf: true });
    await expect.poll(async () => (await request('GET', pathOfThumbnail)).status).toBe(200);
    const logged = linesOf(service, 'a stored PDF is missing').map(({ sha256 }) => sha256);
    expect(new Set(logged)).toEqual(new Set([pdf.sha256]));
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });
});
