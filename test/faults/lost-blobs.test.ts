import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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
/** It has not read the blobs yet that another process stored. */
let service: RunningService;
let key: string;
let oldInput: { id: string; sha256: string };
let otherInput: { id: string; sha256: string };
let template: { path: string; sha256: string };

const clientOf = ({ url }: RunningService): ApiClient => createClient(url, key);

const stop = async (running: RunningService): Promise<void> => expect((await running.stop('SIGTERM')).code).toBe(0);

const missingOf = async ({ url }: RunningService): Promise<string> => {
  const { missing = [] } = (await (await fetch(`${url}/health/ready`)).json()) as { missing?: string[] };
  return missing.join();
};

/** Deletes a blob from the store. Returns a function that puts it back. */
const deleteBlob = (sha256: string, from = installation) =>
  withInstallationEngines(from, async ({ blobs }) => {
    const bytes = await blobs.get(sha256);
    await blobs.delete(sha256);
    return () => withInstallationEngines(from, async (engines) => void (await engines.blobs.put(bytes)));
  });

/** Writes something else into the file of a blob. */
const damageBlob = async (sha256: string): Promise<void> => {
  const folder = join(installation.env['COLOPHON_DATA_DIR']!, 'blobs');
  const names = await readdir(folder, { recursive: true });
  await writeFile(
    join(
      folder,
      names.find((name) => name.endsWith(sha256.slice(2)))!,
    ),
    'damaged',
  );
};

type ConvertSource = Extract<RenderSource, { mode: 'CONVERT' }>;
const historyOf = async (id: string, from = installation) =>
  (await readRenderHistories(from)).get(id.replace('_', '-'))!;
const inputOf = async (id: string, from = installation): Promise<string> =>
  ((await historyOf(id, from))[0]!.data as { source: ConvertSource }).source.input.sha256;

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

beforeAll(async () => {
  installation = await openTestInstallation();
  key = await createUnlimitedKey(installation, '--plan', 'enterprise');
  const former = await installation.start();
  const client = clientOf(former);
  const renderInput = async (data: string) => {
    const { id } = await client.render('html', data);
    return { id, sha256: await inputOf(id) };
  };
  oldInput = await renderInput(`<p>x<!--${'x'.repeat(100_000)}-->`);
  otherInput = await renderInput('<p>unique');
  const { id } = await createTemplateClient(client).create('<p>unique {{x}}');
  template = { path: `/api/v1/templates/${id}`, sha256: (await createdTemplate()).content.sha256 };
  await stop(former);
  service = await installation.start();
});
afterAll(async () => {
  try {
    if (service) await stop(service);
  } finally {
    await installation.remove();
  }
});

describe('A blob that the event log names and that is missing in the blob store', () => {
  it.skipIf(!areServersAvailable)(
    'makes the process unready and costs no document an attempt, until it is back',
    async () => {
      const onServers = await openTestInstallation({}, await openServersEnvironment());
      onTestFinished(() => onServers.remove());
      const front = await onServers.start('api', 'relay', 'projector');
      const jobs = createJobClient(createClient(front.url, await createUnlimitedKey(onServers)));
      const [lost, other] = [
        await jobs.submitAsync({}, { mode: 'CONVERT', input_type: 'html', data: '<p>lost for a while' }),
        await jobs.submitAsync(),
      ];
      const sha256 = await inputOf(lost.id, onServers);
      const putBack = await deleteBlob(sha256, onServers);

      const renderer = await onServers.startWithoutWaiting('renderer');
      expect((await jobs.waitUntilEnded(other.job_id)).status).toBe('DONE');
      await waitUntil('the blob store is named', async () => (await missingOf(renderer)).includes('BLOB_STORE_URL'));
      expect(await missingOf(renderer)).toContain(sha256);
      await putBack();
      await waitUntil(
        'the renderer is ready',
        async () => (await fetch(`${renderer.url}/health/ready`)).status === 200,
      );
      expect((await jobs.waitUntilEnded(lost.job_id)).status).toBe('DONE');
      expect(eventTypesOf(await historyOf(lost.id, onServers))).toEqual([
        'RenderRequested',
        'RenderStarted',
        'RenderCompleted',
      ]);
      expect(
        linesOf(renderer, 'render could not be processed').filter(({ times }) => times === undefined),
      ).toHaveLength(1);
      for (const one of [front, renderer]) await stop(one);
    },
  );

  it('is named to a reader of an old input, and makes nothing unready that does not need it', async () => {
    await damageBlob(oldInput.sha256);
    const { body } = await clientOf(service).request('GET', `/api/v1/renders/${oldInput.id}/input`);
    const message = expect.stringContaining('is damaged in the blob store');
    expect(body).toMatchObject({ error: 'input_not_available', message });
    expect(await missingOf(service)).toBe('');
  });

  it('is named by a command that needs it, with the command that finds all of them', async () => {
    const dir = join(installation.dataDir, 'pulled');
    for (const [sha256, command] of [
      [template.sha256, ['template', 'pull', '--account', 'tests', '--dir', dir]],
      [otherInput.sha256, ['verify', otherInput.id]],
    ] as const) {
      const putBack = await deleteBlob(sha256);
      expect(await installation.runCommand(...command)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^The blob store has no blob ${sha256}\\. "colophon check" .*\n$`)),
      });
      await putBack();
    }
  });

  it('is reported to callers as unavailable, so that they retry', async () => {
    const { path, sha256 } = template;
    const putBack = await deleteBlob(sha256);
    expectErrorResponse(await clientOf(service).request('GET', path), 'service_unavailable');
    expect(await missingOf(service)).toContain('BLOB_STORE_URL');
    await putBack();
    await waitUntil('the template is there', async () => (await clientOf(service).request('GET', path)).status === 200);
    expect(await missingOf(service)).toBe('');
  });

  it('is named in the log if it is a stored PDF, whose caller is told what to do; verifying the PDF stores it again', async () => {
    const { request } = clientOf(service);
    const post = (path: string, fields: object) =>
      request('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) });
    const { body } = await post('/api/v1/render', {
      mode: 'CONVERT',
      input_type: 'html',
      // So much that the PDF has a file of its own.
      data: Array.from({ length: 8_000 }, (_, n) => (n * 7_919_999).toString(36)).join(' '),
      keep_pdf: true,
      thumbnail: true,
    });
    const paths = [`/api/v1/renders/${String(body['id'])}/pdf`, `/api/v1/download/${String(body['id'])}`];
    const history = await historyOf(String(body['id']));
    const { pdf, thumbnail } = history.at(-1)!.data as Record<'pdf' | 'thumbnail', { sha256: string }>;
    const { headers } = await request('GET', paths[0]!);
    for (const spoil of [deleteBlob, damageBlob]) {
      await spoil(pdf.sha256);
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
  });
});
