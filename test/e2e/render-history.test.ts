import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bareId } from '#contracts/names.ts';
import { projections } from '#libs/projections/all.ts';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createRepeatingCaller } from '../support/client/repeating-caller.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { isOnServers } from '../support/environment.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { pdfBytes, withoutDates } from '../support/documents/read-pdf.ts';
import { reproducibleDocuments } from '../support/documents/reproducible-documents.ts';
import type { TestInstallation } from '../support/service/installation.ts';
import { serviceForTestFile, stopService } from '../support/service/for-test-file.ts';
import { sha256Of } from '../support/sha256.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = serviceForTestFile();
let account: string;
let key: { id: string; key: string };
const caller = (): ApiClient => createClient(at.service.url, key.key);
beforeAll(async () => {
  account = await openAccount(at.installation, '--requests-per-minute', '100000');
  key = await issueKey(at.installation, account);
});

/** The database files, with blobs. */
const keptInFiles = async (): Promise<string[]> => {
  const files = (await readdir(at.installation.dataDir, { withFileTypes: true })).filter(
    (entry) => entry.isFile() && /\.db/.test(entry.name),
  );
  return Promise.all(files.map(({ name }) => readFile(join(at.installation.dataDir, name), 'latin1')));
};
/** The events and the read models. */
const keptEvents = (): Promise<string[]> =>
  withInstallationEngines(at.installation, async ({ store, reads }) => {
    const documents = await Promise.all(
      projections.map(({ collection }) => reads.find(collection.name, { where: {}, limit: 100_000 })),
    );
    return [await store.readAll(0, 100_000), ...documents].map((kept) => JSON.stringify(kept));
  });

describe('The history of a render', () => {
  it('is three events: requested by a key, started by a worker, completed', async () => {
    const rendered = await caller().render('markdown', '# Hello', { page_size: 'A3', footer_html: 'Foot' });
    const [requested, started, completed, ...more] = await readRenderEvents(at.installation, rendered.id);
    expect([requested?.type, started?.type, completed?.type, more]).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderCompleted',
      [],
    ]);
    expect(requested!.metadata).toMatchObject({
      actor: { kind: 'key', id: bareId('key', key.id) },
      accountId: bareId('acc', account),
      occurredAt: rendered.created_at,
    });
    expect(requested!.data).toMatchObject({
      keyId: bareId('key', key.id),
      keyType: 'live',
      source: { mode: 'CONVERT', inputType: 'markdown', input: { sha256: sha256Of('# Hello'), size: 7 } },
      options: { page_size: 'A3' },
    });
    expect(started!.data).toMatchObject({ attempt: 1 });
    expect(started!.metadata.actor.kind).toBe('service');
    expect(completed!.data).toMatchObject({
      attempt: 1,
      pages: 1,
      renderMode: 'static',
      warnings: [],
      engine: expect.stringMatching(/Chrome\//),
      pdf: { sha256: sha256Of(pdfBytes(rendered.pdf_base64)), size: pdfBytes(rendered.pdf_base64).length },
    });
    expect(new Set([requested, started, completed].map((event) => event!.metadata.correlationId)).size).toBe(1);
  });

  it('has the render mode of a document and its reason', async () => {
    const { id } = await caller().render('html', '<p>x</p><script>1</script>');
    expect((await readRenderEvents(at.installation, id)).at(-1)!.data).toMatchObject({
      renderMode: 'scripted',
      renderModeReason: expect.stringMatching(/script/),
    });
  });

  it('contains nothing of the document, its header and footer or the key; nor do the event log and the read models', async () => {
    const secrets = ['Quetzalcoatlus', 'Xiphactinus', 'Eurhinosaurus'];
    const { id } = await caller().render('html', `<p>${secrets[0]}</p>`, {
      header_html: secrets[1],
      footer_html: secrets[2],
    });
    await caller().convert('html', `<p>${secrets[0]} <!--`);
    await caller().postRender(`{"mode": "${secrets[0]}`);
    const history = JSON.stringify(await readRenderEvents(at.installation, id));
    const everything = [history, at.service.output(), ...(await keptEvents())];
    expect(everything.length).toBeGreaterThan(4);
    for (const text of everything)
      for (const secret of [...secrets, key.key]) expect(text.includes(secret)).toBe(false);
    for (const text of isOnServers ? [] : await keptInFiles()) expect(text.includes(key.key)).toBe(false);
  });

  it('is printed by the command events', async () => {
    const { id } = await caller().render('html', '<p>x</p>');
    const { code, stdout } = await at.installation.runCommand('events', id.replace('_', '-'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/RenderRequested.*key/);
    expect(stdout).toMatch(/RenderCompleted.*service/);
    expect((await at.installation.runCommand('events', 'render-nothing')).code).not.toBe(0);
  });
});

describe('A render', () => {
  it('cannot be verified if it failed or does not exist', async () => {
    const { body } = await caller().convert('html', '<p');
    for (const id of [String(body.render_id), 'render_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nothing']) {
      const { code, stderr } = await at.installation.runCommand('verify', id);
      expect([code, stderr]).toEqual([2, expect.stringContaining(id)]);
    }
  });
});

/** The documents of every read model when it has reached the end of the event log. It opens the engines once. */
const allDocuments = (installation: TestInstallation) =>
  withInstallationEngines(installation, async ({ store, reads }) => {
    const head = await store.head();
    await waitUntil('the read models are at the end of the log', async () => {
      const positions = await Promise.all(projections.map(({ model }) => reads.checkpoint(model)));
      return positions.every((position) => position >= head);
    });
    const found = await Promise.all(
      projections.map(
        async ({ model, collection }) =>
          [model, await reads.find(collection.name, { where: {}, limit: 100_000 })] as const,
      ),
    );
    return Object.fromEntries(
      found.map(([model, documents]) => [model, documents.map((one) => JSON.stringify(one)).toSorted()]),
    );
  });

describe('The read models', () => {
  it('are the same after a rebuild from the event log while the service runs', async () => {
    await caller().render('html', '<p>x</p>');
    await caller().convert('html', '<p');
    const before = await allDocuments(at.installation);
    expect(before.renders!.length).toBeGreaterThan(2);
    expect(before.apiKeys!.length).toBeGreaterThan(2);
    const { rebuilt } = await at.installation.runJsonCommand<{ rebuilt: string[] }>('rebuild');
    expect(rebuilt).toEqual(projections.map(({ model }) => model));
    expect(await allDocuments(at.installation)).toEqual(before);
    expect((await caller().convert('html', '<p>x</p>')).status).toBe(200);
  });

  it('fail no request while they are rebuilt, and the caller reads its own writes', async () => {
    // The other plans limit the number of templates.
    const key = await createUnlimitedKey(at.installation, '--plan', 'enterprise');
    const { turn, rounds, refusals, surprises } = createRepeatingCaller(createClient(at.service.url, key));
    let over = false;
    const calling = (async () => {
      while (!over) await turn();
    })();
    try {
      const both = await Promise.all([at.installation.runCommand('rebuild'), at.installation.runProcess('rebuild')]);
      const refused = both.filter(({ code }) => code !== 0);
      expect(refused.length).toBeLessThan(2);
      for (const { stderr } of refused) expect(stderr).toMatch(/another rebuild of \w+ was started later/);
    } finally {
      over = true;
      await calling;
    }
    await turn();
    expect(rounds()).toBeGreaterThan(1);
    expect(refusals.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
    expect(surprises).toEqual([]);
  });
});

/** With servers, those of each render mode, and one that is not text: the other input types are stored in the same way. */
const documents = reproducibleDocuments
  .filter(([inputType]) => !isOnServers || ['html', 'docx'].includes(inputType))
  // Word documents are printed without LibreOffice, whose starts take a second each. office.test.ts compares its bytes.
  .map(([type, data, options]) => [type, data, type === 'docx' ? { docx_layout: 'semantic' } : options] as const);

describe('After a restart', () => {
  let before: RenderResult[];
  let after: RenderResult[];
  let usedUp: ApiClient;
  // At once, they would take long on a busy machine, and each has a time limit.
  const renderAll = async (): Promise<RenderResult[]> => {
    const rendered: RenderResult[] = [];
    for (const document of documents) rendered.push(await caller().render(...document));
    return rendered;
  };
  beforeAll(async () => {
    const small = await openAccount(at.installation, '--requests-per-month', '2');
    const limited = await issueKey(at.installation, small);
    for (let n = 0; n < 2; n += 1) await createClient(at.service.url, limited.key).render('html', '<p>x</p>');
    before = await renderAll();
    await stopService(at.service);
    at.service = await at.installation.start();
    usedUp = createClient(at.service.url, limited.key);
    after = await renderAll();
  });

  it('the monthly quota stays used up', async () => {
    expectErrorResponse(await usedUp.convert('html', '<p>x</p>'), 'quota_exceeded', { quota_used: 2 });
  });

  it('"colophon check" finds no problem in the event log and its blobs', async () => {
    const { code, stdout } = await at.installation.runCommand('--json', 'check');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { ok: true, event_log: { problems: [] }, blobs: { problems: [] } },
    ]);
    const { databases, blobs } = JSON.parse(stdout) as { databases: unknown[]; blobs: { checked: number } };
    expect(databases).toHaveLength(isOnServers ? 0 : 2);
    expect(blobs.checked).toBeGreaterThan(0);
  });

  it('the same request gives the same bytes, except for the dates, and the same dates too with "colophon verify"', async () => {
    for (const [index, { pdf_base64: pdf }] of before.entries())
      expect(withoutDates(after[index]!.pdf_base64)).toBe(withoutDates(pdf));
    const { code, stdout } = await at.installation.runCommand('--json', 'verify', before[0]!.id);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ id: before[0]!.id, same: true, sha256: sha256Of(pdfBytes(before[0]!.pdf_base64)) }),
    ]);
  });
});
