import { readModels } from '#contracts/names.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { AccountSettings } from '#contracts/events/account.ts';
import { afterRotation, type WebhookSecretGenerations } from '#libs/domain/account.ts';
import { type LimitOverrides, limitsOf, type PlanName } from '#contracts/plans.ts';
import { idOf, type Projection, updateDocument } from './projection.ts';

export type AccountDocument = {
  id: string;
  name: string;
  plan: PlanName;
  overrides: LimitOverrides;
  /** Absent if the account has never changed them. */
  settings?: AccountSettings;
  openedAt: string;
  /** The position of the last change from an unlimited plan to one with a quota; absent if there was none. */
  quotaSince?: number;
  suspension: { at: string; reason: string } | null;
  webhookSecret: WebhookSecretGenerations & { createdAt: string };
};

const hasNoQuota = ({ plan, overrides }: Pick<AccountDocument, 'plan' | 'overrides'>): boolean =>
  limitsOf(plan, overrides).requestsPerMonth === null;

/** The document of an account that was just opened, by its bare id. `openedAt` is an ISO 8601 time. */
export const openedAccount = (
  id: string,
  { name, plan, overrides }: EventData['AccountOpened'],
  openedAt: string,
): AccountDocument => ({
  id,
  name,
  plan,
  overrides,
  openedAt,
  suspension: null,
  webhookSecret: { generation: 1, previous: [], createdAt: openedAt },
});

export const accounts: Projection<AccountDocument> = {
  model: readModels.accounts,
  collection: { name: readModels.accounts, indexes: [['name'], ['id'], ['plan', 'id']] },
  handlers: {
    AccountOpened: (event) => ({
      id: idOf(event),
      evolve: () => openedAccount(idOf(event), event.data, event.metadata.occurredAt),
    }),
    PlanChanged: (event) => {
      const { plan, overrides } = event.data;
      return updateDocument(event, (document) => ({
        plan,
        overrides,
        ...(hasNoQuota(document) && !hasNoQuota({ plan, overrides }) && { quotaSince: event.position }),
      }));
    },
    AccountSuspended: (event) =>
      updateDocument(event, () => ({ suspension: { at: event.metadata.occurredAt, reason: event.data.reason } })),
    AccountReinstated: (event) => updateDocument(event, () => ({ suspension: null })),
    AccountRenamed: (event) => updateDocument(event, () => ({ name: event.data.name })),
    AccountSettingsChanged: (event) => updateDocument(event, () => ({ settings: event.data })),
    WebhookSecretRotated: (event) =>
      updateDocument(event, ({ webhookSecret }) => ({
        webhookSecret: { ...afterRotation(webhookSecret, event.data), createdAt: event.metadata.occurredAt },
      })),
  },
};
