import type { accountHistoryData, AccountEventsAnswer } from '#contracts/http/account.ts';
import { accountIdOf, idOfStream, keyIdOf, streams } from '#contracts/names.ts';
import type { AccountHistoryDocument } from '#libs/projections/account-history.ts';

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const named = (data: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data as object).map(([name, value]) => [snakeCase(name), name === 'overrides' ? named(value) : (value as unknown)]));

const accountPrefix = streams.account('');
const subjectOf = (stream: string): string =>
  stream.startsWith(accountPrefix) ? accountIdOf(idOfStream(stream)) : keyIdOf(idOfStream(stream));

/** An event of an account's history as a caller sees it. */
export const historyEventView = ({ id, type, subject, metadata, data }: AccountHistoryDocument): AccountEventsAnswer['events'][number] => ({
  id,
  type: type as keyof typeof accountHistoryData,
  subject: subjectOf(subject),
  time: metadata.occurredAt,
  actor: metadata.actor.kind === 'key' ? { kind: 'key', id: keyIdOf(metadata.actor.id) } : metadata.actor,
  request_id: metadata.correlationId,
  trace_id: metadata.traceparent?.split('-')[1] ?? null,
  data: named(data),
});
