import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../services/api/routes.ts';
import { type ApiResponse, createClient } from '../support/client/api-client.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

type Operation = { operationId: string; requestBody?: { content: { 'application/json': { examples: Examples } } } };
type Examples = Record<string, { value: Record<string, unknown> }>;

const at = sharedService();
let client: ReturnType<typeof createClient>;
let operations: Map<string, { method: string; path: string; examples: Examples }>;
beforeAll(async () => {
  const account = await openAccount(at.installation);
  client = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  const document = (await (await fetch(`${at.service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = new Map(
    Object.entries(document.paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, { operationId, requestBody }]) => [
        operationId,
        { method, path, examples: requestBody?.content['application/json'].examples ?? {} },
      ]),
    ),
  );
});

/** Sends an example of the reference as it is, but for the ids that the summary says to fill in. */
const send = async (operationId: string, example: string, ids: Record<string, string> = {}): Promise<ApiResponse> => {
  const { method, path, examples } = operations.get(operationId)!;
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
  const value = examples[example]!.value;
  const body = 'template_id' in value ? { ...value, template_id: ids['template_id'] } : value;
  return client.request(method.toUpperCase(), url, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
};

describe('The examples of the reference', () => {
  it.each(['markdown', 'html', 'csv', 'json'])('make a PDF on a new account: %s', async (example) => {
    expect(await send('render', example)).toMatchObject({ status: 200, body: { status: 'DONE', pages: 1 } });
  });

  it('store, test, render, change and restore a template on a new account, one after the other', async () => {
    const { status, body } = await send('createTemplate', 'offer');
    expect(status).toBe(201);
    const ids = { id: String(body['id']), template_id: String(body['id']) };
    expect((await send('testTemplate', 'offer', ids)).status).toBe(200);
    expect((await send('render', 'template', ids)).status).toBe(200);
    expect((await send('renderAsync', 'template', ids)).status).toBe(200);
    expect((await send('updateTemplate', 'content', ids)).status).toBe(200);
    expect((await send('restoreTemplate', 'first', ids)).status).toBe(200);
    expect((await send('previewTemplate', 'offer')).status).toBe(200);
    expect(await send('validateTemplate', 'unclosed')).toMatchObject({ status: 200, body: { valid: false } });
  });

  it('request a callback, and repeat a render', async () => {
    const { status, body } = await send('render', 'callback');
    expect([status, body['status']]).toEqual([200, 'QUEUED']);
    const { body: done } = await send('render', 'html');
    expect((await send('repeatRender', 'kept', { id: String(done['id']) })).status).toBe(200);
    expect((await send('repeatRender', 'callback', { id: String(done['id']) })).status).toBe(200);
    expect((await send('redeliverFailedJobs', 'night')).status).toBe(200);
  });
});

it('Every operation has a stable name', () => {
  expect(routes.map(({ operationId }) => operationId).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'acceptInvitation',
    'addPasskey',
    'changeAccountSettings',
    'changeMember',
    'changePlan',
    'createKey',
    'createTemplate',
    'deleteTemplate',
    'downloadPdf',
    'downloadThumbnail',
    'finishOidcSignIn',
    'getAccount',
    'getAccountAsOperator',
    'getAccountSettings',
    'getDelivery',
    'getEvent',
    'getJob',
    'getJobEvents',
    'getKey',
    'getLiveness',
    'getMetrics',
    'getReadiness',
    'getRender',
    'getRenderDiagnostics',
    'getRenderEvents',
    'getRenderInput',
    'getRenderPdf',
    'getSession',
    'getStatistics',
    'getTemplate',
    'getTemplateEvents',
    'getTemplateVersion',
    'getUsage',
    'getUsageBreakdown',
    'getWebhookSecret',
    'inviteMember',
    'issueOwnerLink',
    'leaveAccount',
    'listAccountEvents',
    'listAccounts',
    'listDeliveries',
    'listEvents',
    'listExampleTemplates',
    'listInvitations',
    'listJobs',
    'listKeys',
    'listMembers',
    'listOperators',
    'listPasskeys',
    'listPlans',
    'listRenders',
    'listSessions',
    'listSignInMethods',
    'listTemplates',
    'listTemplateVersions',
    'openAccount',
    'previewInvitation',
    'previewTemplate',
    'previewTemplateVersion',
    'redeliverFailedDeliveries',
    'redeliverFailedJobs',
    'redeliverJob',
    'reinstateAccount',
    'removeMember',
    'removePasskey',
    'renamePasskey',
    'render',
    'renderAsync',
    'repeatRender',
    'restoreTemplate',
    'revokeKey',
    'revokeOperator',
    'revokeOtherSessions',
    'revokeSession',
    'rotateWebhookSecret',
    'search',
    'signIn',
    'signInWithPasskey',
    'signOut',
    'startOidcSignIn',
    'startPasskey',
    'startPasskeySignIn',
    'streamEvents',
    'suspendAccount',
    'testTemplate',
    'testWebhook',
    'updateTemplate',
    'validateTemplate',
    'verifyRender',
    'withdrawInvitation',
  ]);
});
