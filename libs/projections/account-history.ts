import { accountHistoryData } from '#contracts/http/account.ts';
import type { Collection } from '#libs/read-store/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { additionalEffect, type AdditionalEffect } from './projection.ts';

/** An event of an account or of one of its keys, with what may be shown of it. `subject` is the stream it is in. */
export type AccountHistoryDocument = Pick<RecordedEvent, 'id' | 'type' | 'metadata' | 'position'> & {
  accountId: string;
  stream: string;
  data: unknown;
};

export const accountHistory: Collection = { name: 'accountHistory', indexes: [['accountId', 'position']] };

const visibleDataSchemas = accountHistoryData as Readonly<
  Record<string, (typeof accountHistoryData)[keyof typeof accountHistoryData]>
>;

/** Puts an event into the history of its account. Only the fields that are known to hold no secret go along. */
const recordEvent = (event: RecordedEvent): AdditionalEffect | null => {
  const { id, type, data, metadata, position, stream } = event;
  const visible = visibleDataSchemas[type]?.safeParse(data).data;
  if (!visible || metadata.accountId === null) return null;
  const document: AccountHistoryDocument = {
    id,
    accountId: metadata.accountId,
    stream: stream,
    type,
    metadata,
    position,
    data: visible,
  };
  return additionalEffect<AccountHistoryDocument>(accountHistory, id, () => document);
};

/** What puts each event of an account or key into the history. */
export const accountHistoryHandlers = Object.fromEntries(
  Object.keys(accountHistoryData).map((type) => [type, recordEvent]),
);
