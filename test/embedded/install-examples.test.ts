import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAccount } from '#application/accounts/queries.ts';
import { installExample } from '#application/templates/install-examples.ts';
import { openDocumentPreparation } from '#libs/documents/document-preparation.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { exampleNames, invoiceExample, readExample } from '#libs/templating/examples.ts';
import { createClient } from '../support/client/api-client.ts';
import { createTemplateClient, type TemplateClient } from '../support/client/template-client.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { openTestInstallation, type RunningService, type TestInstallation } from '../support/service/installation.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';

type Row = { id: string; version: number; name: string; result: string };
let installation: TestInstallation;
let account: string;
beforeAll(async () => {
  installation = await openTestInstallation();
  account = await openAccount(installation, '--name', 'Paper Mill', '--plan', 'pro');
});
afterAll(() => installation.remove());

const install = (...options: string[]) =>
  installation.runJsonCommand<Row[]>('template', 'install-examples', '--account', ...options);
const resultsOf = (rows: Row[]) => [...new Set(rows.map(({ result, version }) => `${result} ${version}`))];

/** Installs the invoice as it was delivered with an earlier version of the product. */
const installEarlierInvoice = () =>
  withInstallationEngines(installation, async ({ store, reads, blobs }) => {
    const { template, sample } = await readExample('invoice');
    const preparation = openDocumentPreparation({ processes: 1 });
    const eventLog = { store, now: () => new Date() };
    const earlier = { template: { ...template, content: '<p>An earlier invoice</p>' }, sample };
    const document = (await findAccount(reads, account))!;
    await installExample({ eventLog, reads, blobs, preparation }, document, earlier, {
      person: 'root',
      replace: false,
    });
    await catchUp(store, reads, projections);
    await preparation.close();
  });

it('The delivered templates can be installed in any account, also in a new version, without a running service', async () => {
  await installEarlierInvoice();
  const [updated] = await install('Paper Mill', '--name', 'invoice');
  expect(updated).toMatchObject({ name: 'Invoice', version: 2, result: 'updated' });
  const all = await install(account);
  expect(all.map(({ name }) => name.toLowerCase())).toEqual([...exampleNames, invoiceExample]);
  expect(resultsOf(all).toSorted()).toEqual(['created 1', 'unchanged 2']);
});

describe('Beside a running service', () => {
  let service: RunningService;
  let templates: TemplateClient;
  beforeAll(async () => {
    service = await installation.start();
    templates = createTemplateClient(createClient(service.url, (await issueKey(installation, account)).key));
  });
  afterAll(() => service.stop('SIGTERM'));

  it('the delivered templates are used at once, and those that the account has changed are kept', async () => {
    const { sample } = await readExample('invoice');
    const list = await templates.expectStatus<{ templates: Row[] }>(200, templates.send('GET', ''));
    const [invoice, contract] = ['Invoice', 'Contract'].map(
      (wanted) => list.templates.find(({ name }) => name === wanted)!.id,
    ) as [string, string];
    expect(await templates.renderText(invoice, sample, { locale: 'de' })).toContain('Rechnung');
    await templates.update(invoice, { content: '<p>Ours</p>' });
    await templates.send('DELETE', `/${contract}`);
    const rows = await install(account);
    expect(rows[0]).toMatchObject({ version: 3, result: 'kept' });
    expect(rows[1]).toMatchObject({ name: 'Contract', version: 1, result: 'created' });
    expect(resultsOf(rows.slice(2))).toEqual(['unchanged 1']);
    expect(await templates.renderText(invoice, sample)).toBe('Ours');
    expect(resultsOf(await install(account, '--name', 'invoice', '--replace'))).toEqual(['updated 4']);
    expect(await templates.renderText(invoice, sample, { locale: 'fr' })).toContain('Facture');
    expect((await templates.versions(invoice))[0]!.changes).toBe('the delivered example');
    expect((await templates.send('GET', `/${invoice}/events`)).text).toMatch(/installed by \w+/);
  });
});

it('An unknown account or example is an error of the command', async () => {
  const run = (...args: string[]) => installation.runCommand('template', 'install-examples', ...args);
  expect(await run('--account', 'No Such')).toMatchObject({ code: 2, stderr: expect.stringContaining('no account') });
  expect((await run('--account', account, '--name', 'poem')).stderr).toContain('invoice');
});
