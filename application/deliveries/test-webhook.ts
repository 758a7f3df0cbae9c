import type { DoneCallback } from '#contracts/http/callback.ts';
import type { TestWebhookResponse } from '#contracts/http/deliveries.ts';
import { jobIdOf, readModels, renderIdOf, streams } from '#contracts/names.ts';
import { isSuccess } from '#libs/domain/delivery.ts';
import { webhookTest } from '#libs/domain/webhook-test.ts';
import { maskUrl } from '#libs/domain/webhook-url.ts';
import type { Egress } from '#libs/egress/egress.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { signingSecrets } from '#libs/secrets/webhook-secret.ts';
import { type Cause, type EventLog, newAggregate } from '#application/command-handling/aggregate.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { attemptTimeoutMs } from './attempt-schedule.ts';
import { maxResponseBytes, requestHeaders, toAttemptOutcome } from './deliver-webhook.ts';
import { outcomeView } from './delivery-history.ts';
import { recordedRequestHeaders } from './recorded-headers.ts';
import { signatureHeaders } from './signature-headers.ts';
import type { PlaintextTarget } from './target.ts';

export type TestWebhookDependencies = {
  eventLog: EventLog;
  reads: Pick<ReadStore, 'get'>;
  readYourWrites: ReadYourWrites;
  secrets: InstallationSecrets;
  /** The only way to the outside, with the same address policy as for every webhook. */
  openEgress: () => Promise<Pick<Egress, 'sendWebhook'>>;
  downloadUrlFor: (id: string, until: Date) => string;
};

const hourMs = 60 * 60 * 1000;

/** The body of a finished PDF, for a render that does not exist. */
const samplePayload = (id: string, pdfUrl: (until: Date) => string, now: Date): DoneCallback => {
  const until = new Date(now.getTime() + hourMs);
  return {
    id: renderIdOf(id),
    status: 'DONE',
    job_id: jobIdOf(id),
    pdf_url: pdfUrl(until),
    pdf_expires_at: until.toISOString(),
    pages: 1,
    file_size_kb: 14.27,
    duration_ms: 41,
    created_at: now.toISOString(),
    completed_at: now.toISOString(),
    test: true,
  };
};

/**
 * Sends one signed sample callback to an address, and records request and outcome without secrets. `id` is the bare id
 * of the test.
 */
export const testWebhook = async (
  { eventLog, reads, readYourWrites, secrets, openEgress, downloadUrlFor }: TestWebhookDependencies,
  { id, accountId, target }: { id: string; accountId: string; target: PlaintextTarget },
  cause: Cause,
): Promise<TestWebhookResponse> => {
  // The account of the caller may come from a cache, and lack a rotation.
  await readYourWrites.waitForWrites(accountId, readModels.accounts);
  const [account, egress] = await Promise.all([reads.get(readModels.accounts, accountId), openEgress()]);
  const { url, method, headers } = target;
  const now = eventLog.now();
  const body = Buffer.from(JSON.stringify(samplePayload(id, (until) => downloadUrlFor(id, until), now)));
  const webhookId = `msg_${id}`;
  const signatures = signatureHeaders(webhookId, body, signingSecrets(secrets, account as AccountDocument, now), now);
  const sent = requestHeaders(headers, signatures);
  const request = {
    account: accountId,
    url,
    method,
    body,
    headers: sent,
    timeoutMs: attemptTimeoutMs,
    maxResponseBytes,
  };
  const result = await egress.sendWebhook(request);
  const durationMs = Math.round(result.durationMs);
  const outcome = toAttemptOutcome(result, target, sent);
  const recordedHeaders = recordedRequestHeaders(sent, headers);
  const { url: maskedUrl, isMasked } = maskUrl(url);
  const data = {
    accountId,
    url: maskedUrl,
    urlIsMasked: isMasked,
    method,
    request: { headers: recordedHeaders },
    outcome,
    durationMs,
  };
  await newAggregate(eventLog, webhookTest, streams.webhookTest(id)).execute({ type: 'record', data }, cause);
  return {
    id: webhookId,
    started_at: now.toISOString(),
    duration_ms: durationMs,
    request: { method, url: maskedUrl, headers: { ...recordedHeaders, ...signatures }, body: body.toString() },
    ...outcomeView(outcome),
    delivered: isSuccess(outcome),
  };
};
