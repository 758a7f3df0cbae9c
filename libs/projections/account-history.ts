import { accountHistoryData } from '#contracts/http/account.ts';
import type { Collection } from '#libs/read-store/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { additionalEffect, type AdditionalEffect } from './projection.ts';

/** An event of an account or of one of its API keys, with the fields that the API may show. `stream` is its stream. */
export type AccountHistoryDocument = Pick<RecordedEvent, 'id' | 'type' | 'metadata' | 'position'> & {
  accountId: string;
  stream: string;
  data: unknown;
};

export const accountHistory: Collection = { name: 'accountHistory', indexes: [['accountId', 'position']] };

const visibleDataSchemas = accountHistoryData as Readonly<
  Record<string, (typeof accountHistoryData)[keyof typeof accountHistoryData]>
>;

/** Adds an event to the history of its account, with only those fields that cannot contain a secret. */
const recordEvent = (event: RecordedEvent): AdditionalEffect | null => {
  const { id, type, data, metadata, position, stream } = event;
  const visible = visibleDataSchemas[type]?.safeParse(data).data;
  if (!visible || metadata.accountId === null) return null;
  const document: AccountHistoryDocument = {
    id,
    accountId: metadata.accountId,
    stream,
    type,
    metadata,
    position,
    data: visible,
  };
  return additionalEffect<AccountHistoryDocument>(accountHistory, id, () => document);
};

/** Handlers that add each event of an account or API key to the history. */
export const accountHistoryHandlers = Object.fromEntries(
  Object.keys(accountHistoryData).map((type) => [type, recordEvent]),
);
