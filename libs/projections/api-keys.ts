import type { Permission } from '#contracts/events/account.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Projection } from './projection.ts';

export type ApiKeyDocument = {
  id: string;
  accountId: string;
  name: string;
  keyType: 'live' | 'test';
  hash: string;
  prefix: string;
  permissions: Permission[];
  issuedAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
};

const idOf = (event: RecordedEvent): string => idOfStream(event.stream);

export const apiKeys: Projection<ApiKeyDocument> = {
  model: readModels.apiKeys,
  collection: { name: readModels.apiKeys, indexes: [['hash'], ['accountId', 'issuedAt']] },
  handlers: {
    ApiKeyIssued: (event) => {
      const data = event.data;
      return {
        id: idOf(event),
        evolve: () => ({ id: idOf(event), ...data, issuedAt: event.metadata.occurredAt, revokedAt: null }),
      };
    },
    ApiKeyRevoked: (event) => ({
      id: idOf(event),
      evolve: (document) => document && { ...document, revokedAt: event.metadata.occurredAt },
    }),
  },
};
