import type { Permission } from '#contracts/events/account.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { readModels } from '#contracts/names.ts';
import { idOf, type Projection, updateDocument } from './projection.ts';

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
  isRevoked: boolean;
  issuedBy: Actor;
};

/** The document of a key that was just issued, by its bare id. */
export const issuedKey = (
  id: string,
  data: EventData['ApiKeyIssued'],
  { occurredAt, actor }: Pick<Metadata, 'occurredAt' | 'actor'>,
): ApiKeyDocument => ({
  id,
  ...data,
  issuedAt: occurredAt,
  revokedAt: null,
  isRevoked: false,
  issuedBy: actor,
});

export const apiKeys: Projection<ApiKeyDocument> = {
  model: readModels.apiKeys,
  collection: {
    name: readModels.apiKeys,
    indexes: [['hash'], ['accountId', 'id'], ['accountId', 'isRevoked', 'id'], ['accountId', 'isRevoked', 'expiresAt']],
  },
  handlers: {
    ApiKeyIssued: (event) => ({
      id: idOf(event),
      evolve: () => issuedKey(idOf(event), event.data, event.metadata),
    }),
    ApiKeyRevoked: (event) => updateDocument(event, () => ({ revokedAt: event.metadata.occurredAt, isRevoked: true })),
  },
};
