import fc from 'fast-check';
import type { RecordedEvent } from '#libs/event-store/port.ts';

type HistoryEvent = { type: string; data: unknown };
export type RecordedHistory = { stream: string; accountId: string; events: HistoryEvent[] };

const blob = { sha256: 'ab'.repeat(32), size: 10 };
const accountIds = fc.constantFrom('a', 'b');
const templateIds = fc.constantFrom('t1', 't2', 't3');

const accountHistories = fc
  .record({
    id: accountIds,
    later: fc.subarray(['PlanChanged', 'AccountSuspended', 'AccountReinstated', 'WebhookSecretRotated']),
  })
  .map(({ id, later }): RecordedHistory => {
    const data: Record<string, unknown> = {
      PlanChanged: { plan: 'pro', overrides: {}, reason: null },
      AccountSuspended: { reason: 'unpaid' },
      AccountReinstated: { reason: null },
      WebhookSecretRotated: { generation: 2, previousValidUntil: '2026-03-03T09:00:00.000Z' },
    };
    return {
      stream: `account-${id}`,
      accountId: id,
      events: [
        { type: 'AccountOpened', data: { name: id, plan: 'free', overrides: {} } },
        ...later.map((type) => ({ type, data: data[type] })),
      ],
    };
  });

const apiKeyHistories = fc
  .record({ id: fc.constantFrom('k1', 'k2'), accountId: accountIds, revoked: fc.boolean() })
  .map(({ id, accountId, revoked }): RecordedHistory => {
    const data = {
      accountId,
      name: id,
      keyType: 'live',
      hash: id,
      prefix: 'svc_live_',
      permissions: [],
      expiresAt: null,
    };
    return {
      stream: `apiKey-${id}`,
      accountId,
      events: [{ type: 'ApiKeyIssued', data }, ...(revoked ? [{ type: 'ApiKeyRevoked', data: { reason: null } }] : [])],
    };
  });

const templateHistories = fc
  .record({
    id: templateIds,
    accountId: accountIds,
    names: fc.array(fc.constantFrom('Invoice', 'Letter'), { minLength: 1, maxLength: 5 }),
    deleted: fc.boolean(),
  })
  .map(({ id, accountId, names: [first, ...later], deleted }): RecordedHistory => {
    const body = (name: string) => ({ name, description: null, category: 'other', content: blob, settings: blob });
    const versions = later.map((name, index) => ({
      type: 'TemplateVersioned',
      data: { version: index + 2, body: body(name), changes: name, restoredFrom: null },
    }));
    const end = deleted ? [{ type: 'TemplateDeleted', data: { version: later.length + 1 } }] : [];
    return {
      stream: `template-${id}`,
      accountId,
      events: [{ type: 'TemplateCreated', data: { accountId, body: body(first!) } }, ...versions, ...end],
    };
  });

const sourceOf = (templateId: string | null) =>
  templateId === null
    ? { mode: 'CONVERT', inputType: 'html', input: blob }
    : { mode: 'RENDER', templateId, templateVersion: 1, content: blob, data: blob, settings: blob };

const renderHistories = fc
  .record({
    id: fc.uuid(),
    accountId: accountIds,
    keyId: fc.constantFrom('k1', 'k2'),
    templateId: fc.option(templateIds),
    templateTest: fc.boolean(),
    responseMode: fc.constantFrom('wait', 'poll', 'webhook'),
    length: fc.integer({ min: 1, max: 4 }),
    fails: fc.boolean(),
  })
  .map(({ id, accountId, keyId, templateId, templateTest, responseMode, length, fails }): RecordedHistory => {
    const durations = { queueMs: 60, prepareMs: 1, waitMs: 1, loadMs: 1, printMs: 1, totalMs: 100 };
    const events = [
      {
        type: 'RenderRequested',
        data: {
          accountId,
          keyId,
          keyType: 'live',
          source: sourceOf(templateId),
          options: {},
          templateTest,
          ...(templateTest ? { repeatedFrom: 'other', fileName: 'a.pdf' } : {}),
          responseMode: { kind: responseMode, url: 'https://example.com' },
        },
      },
      { type: 'RenderStarted', data: { attempt: 1, worker: 'w', queueMs: 0 } },
      fails
        ? {
            type: 'RenderFailed',
            data: {
              attempt: 1,
              error: { name: 'internal_error', message: 'no', extra: {} },
              responseMode,
              totalMs: 5,
              quotaRefundDate: null,
            },
          }
        : {
            type: 'RenderCompleted',
            data: {
              attempt: 1,
              input: 'html',
              pdf: blob,
              responseMode,
              keptUntil: '2026-05-20T13:00:00.000Z',
              pages: 1,
              durations,
              warnings: [{ kind: 'content_shrunk', factor: 0.8 }],
            },
          },
      ...(fails ? [] : [{ type: 'PdfErased', data: { sha256: blob.sha256 } }]),
    ];
    return { stream: `render-${id}`, accountId, events: events.slice(0, length) };
  });

const deliveryHistories = fc
  .record({ id: fc.uuid(), accountId: accountIds, length: fc.integer({ min: 1, max: 6 }), answered: fc.boolean() })
  .map(({ id, accountId, length, answered }): RecordedHistory => {
    const attempt = { round: 1, attempt: 1 };
    const outcome = answered
      ? { kind: 'responded', status: 200, headers: {}, responseBody: '' }
      : { kind: 'timeout', reason: 'silent' };
    const events = [
      {
        type: 'DeliveryRequested',
        data: {
          accountId,
          url: 'https://example.com',
          urlIsMasked: false,
          method: 'POST',
          headers: { 'X-Key': '***' },
          sealed: blob,
          payload: blob,
        },
      },
      { type: 'WebhookAttemptStarted', data: attempt },
      {
        type: 'WebhookAttempted',
        data: { ...attempt, outcome, endpoint: 'example.com/hook', durationMs: 1, nextAttemptAt: null },
      },
      answered
        ? { type: 'WebhookDelivered', data: attempt }
        : { type: 'WebhookFailed', data: { round: 1, attempts: 1, lastError: 'silent' } },
      { type: 'WebhookTargetErased', data: { sha256: blob.sha256 } },
      {
        type: 'RedeliveryRequested',
        data: {
          round: 2,
          target: { url: 'https://example.org', urlIsMasked: false, method: 'PUT', headers: {}, sealed: null },
        },
      },
    ];
    return { stream: `delivery-${id}`, accountId, events: events.slice(0, length) };
  });

/** Histories of streams of every kind, at most one per stream. */
export const generatedHistories: fc.Arbitrary<RecordedHistory[]> = fc.uniqueArray(
  fc.oneof(accountHistories, apiKeyHistories, templateHistories, renderHistories, deliveryHistories),
  { selector: ({ stream }) => stream, maxLength: 25 },
);

/** An event log of the histories, with one second between events. `picks` chooses the order; each history keeps its own. */
export const eventLogOf = (histories: readonly RecordedHistory[], picks: readonly number[]): RecordedEvent[] => {
  const remaining = histories.map(({ events, ...history }) => ({
    ...history,
    length: events.length,
    events: [...events],
  }));
  const eventLog: RecordedEvent[] = [];
  for (;;) {
    const open = remaining.filter(({ events }) => events.length > 0);
    if (open.length === 0) return eventLog;
    const history = open[(picks[eventLog.length % Math.max(1, picks.length)] ?? 0) % open.length]!;
    const revision = history.length - history.events.length;
    const occurredAt = new Date(Date.UTC(2026, 4, 20) + eventLog.length * 1000).toISOString();
    eventLog.push({
      ...history.events.shift()!,
      id: `${history.stream}/${revision}`,
      version: 1,
      stream: history.stream,
      revision,
      position: eventLog.length + 1,
      metadata: {
        occurredAt,
        actor: { kind: 'service', name: 'tests' },
        accountId: history.accountId,
        correlationId: '',
        causationId: null,
        traceparent: null,
      },
    } as RecordedEvent);
  }
};
