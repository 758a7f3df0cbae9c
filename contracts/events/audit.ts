import type { EventData, EventType } from './event-schemas.ts';

/** The kinds of events in an account's event log. Those of the installation belong to no account. */
export const eventKinds = ['account', 'key', 'person', 'template', 'render', 'webhook', 'request'] as const;
export type EventKind = (typeof eventKinds)[number];

/**
 * `fields` says which fields of an event the API shows: no secret, no hash of a secret, no name of a machine. A new event
 * or field does not compile until this is decided.
 */
type AuditedEvents = {
  readonly [T in EventType]: {
    kind: EventKind | 'installation';
    fields: { readonly [F in keyof Required<EventData[T]>]: boolean };
  };
};

const templateBody = { body: true } as const;
const webhookTarget = { url: true, urlIsMasked: true, method: true, headers: true, sealed: true } as const;

export const auditRules: AuditedEvents = {
  AccountOpened: { kind: 'account', fields: { name: true, plan: true, overrides: true } },
  PlanChanged: { kind: 'account', fields: { plan: true, overrides: true, reason: true } },
  AccountSuspended: { kind: 'account', fields: { reason: true } },
  AccountReinstated: { kind: 'account', fields: { reason: true } },
  AccountRenamed: { kind: 'account', fields: { name: true } },
  AccountSettingsChanged: { kind: 'account', fields: { locale: true, timeZone: true, pdfRetentionMinutes: true } },
  WebhookSecretRotated: { kind: 'account', fields: { generation: false, previousValidUntil: true } },

  ApiKeyIssued: {
    kind: 'key',
    fields: {
      accountId: false,
      name: true,
      keyType: true,
      hash: false,
      prefix: true,
      permissions: true,
      expiresAt: true,
    },
  },
  ApiKeyRevoked: { kind: 'key', fields: { reason: true } },

  DeliveryRequested: { kind: 'webhook', fields: { accountId: true, ...webhookTarget, payload: true } },
  WebhookAttemptStarted: { kind: 'webhook', fields: { round: true, attempt: true } },
  WebhookAttempted: {
    kind: 'webhook',
    fields: {
      round: true,
      attempt: true,
      request: true,
      outcome: true,
      endpoint: true,
      durationMs: true,
      nextAttemptAt: true,
    },
  },
  WebhookDelivered: { kind: 'webhook', fields: { round: true, attempt: true } },
  WebhookFailed: { kind: 'webhook', fields: { round: true, attempts: true, lastError: true } },
  RedeliveryRequested: { kind: 'webhook', fields: { round: true, target: true, startsAt: true } },
  WebhookTested: {
    kind: 'webhook',
    fields: {
      accountId: true,
      url: true,
      urlIsMasked: true,
      method: true,
      request: true,
      outcome: true,
      durationMs: true,
    },
  },
  WebhookTargetErased: { kind: 'webhook', fields: { sha256: true } },

  IdempotencyKeyClaimed: {
    kind: 'request',
    fields: { accountId: true, operation: true, bodyMac: false, id: false },
  },
  IdempotencyKeyReleased: { kind: 'request', fields: { id: false } },

  InstallationCreated: { kind: 'installation', fields: { installationId: false, secretFingerprint: false } },
  SecretRotated: { kind: 'installation', fields: { from: false, to: false } },
  BlobStoreRegistered: { kind: 'installation', fields: { blobStoreId: false } },
  BlobStoreReplaced: { kind: 'installation', fields: {} },

  MemberInvited: {
    kind: 'person',
    fields: { invitationId: true, email: true, role: true, tokenHash: false, expiresAt: true },
  },
  InvitationWithdrawn: { kind: 'person', fields: { invitationId: true } },
  MemberJoined: { kind: 'person', fields: { personId: true, role: true, source: true, invitationId: true } },
  MemberRoleChanged: { kind: 'person', fields: { personId: true, role: true, source: true } },
  MemberRemoved: { kind: 'person', fields: { personId: true } },
  PersonRegistered: { kind: 'person', fields: { email: true, name: true } },
  PersonSignedIn: { kind: 'person', fields: { method: true, sessionId: true, challengeId: false } },
  PasskeyAdded: {
    kind: 'person',
    fields: {
      credentialId: true,
      publicKey: false,
      counter: false,
      transports: true,
      name: true,
      challengeId: false,
    },
  },
  PasskeyRenamed: { kind: 'person', fields: { credentialId: true, name: true } },
  PasskeyUsed: { kind: 'person', fields: { credentialId: true, counter: false } },
  PasskeyRemoved: { kind: 'person', fields: { credentialId: true } },
  OperatorGranted: { kind: 'person', fields: { source: true } },
  OperatorRevoked: { kind: 'person', fields: {} },
  SessionStarted: {
    kind: 'person',
    fields: { personId: true, secretHash: false, method: true, userAgent: true, expiresAt: true },
  },
  MemberSignedIn: { kind: 'person', fields: { personId: true, method: true } },
  SessionExtended: { kind: 'person', fields: { expiresAt: true } },
  SessionRevoked: { kind: 'person', fields: {} },
  SessionEnded: { kind: 'person', fields: {} },
  SignInLinkIssued: {
    kind: 'person',
    fields: {
      tokenHash: false,
      personId: true,
      email: true,
      name: true,
      accountId: true,
      role: true,
      operator: true,
      expiresAt: true,
    },
  },
  SignInLinkUsed: { kind: 'person', fields: { sessionId: true } },

  RenderRequested: {
    kind: 'render',
    fields: {
      accountId: true,
      keyId: true,
      keyType: true,
      source: true,
      options: true,
      largeOptions: true,
      fileName: true,
      headerFooter: true,
      encryption: true,
      limits: true,
      templateTest: true,
      accountDefaults: true,
      pdfRetentionMinutes: true,
      repeatedFrom: true,
      responseMode: true,
    },
  },
  RenderStarted: { kind: 'render', fields: { attempt: true, worker: false, queueMs: true } },
  RenderCompleted: {
    kind: 'render',
    fields: {
      attempt: true,
      input: true,
      pdf: true,
      contentType: true,
      thumbnail: true,
      responseMode: true,
      keptUntil: true,
      pages: true,
      durations: true,
      renderMode: true,
      renderModeReason: true,
      engine: true,
      warnings: true,
      page: true,
    },
  },
  RenderFailed: {
    kind: 'render',
    fields: { attempt: true, error: true, responseMode: true, totalMs: true, quotaRefundDate: true, quotaRefund: true },
  },
  PageSecretsErased: { kind: 'render', fields: { sha256: true } },
  PdfErased: { kind: 'render', fields: { sha256: true } },
  PdfDiscarded: { kind: 'render', fields: { pdf: true, thumbnail: true, eraseAfter: true } },
  PdfRegenerationRequested: { kind: 'render', fields: {} },
  PdfRegenerationEnded: { kind: 'render', fields: { pdf: true, keptUntil: true } },
  DiagnosisRequested: { kind: 'render', fields: {} },
  RenderDiagnosed: { kind: 'render', fields: { diagnosis: true } },
  VerificationRequested: { kind: 'render', fields: { keepPdf: true } },
  RenderVerified: { kind: 'render', fields: { outcome: true, keptUntil: true } },

  TemplateCreated: { kind: 'template', fields: { accountId: true, ...templateBody } },
  TemplateVersioned: {
    kind: 'template',
    fields: { version: true, ...templateBody, changes: true, restoredFrom: true },
  },
  TemplateDeleted: { kind: 'template', fields: { version: true } },
  TemplateCreationCancelled: { kind: 'template', fields: {} },
  TemplateNameReservationCancelled: { kind: 'template', fields: { name: true } },
  TemplateNameReserved: { kind: 'template', fields: { accountId: true, name: true, templateId: true } },
  TemplateNameReleased: { kind: 'template', fields: { templateId: true } },
  TemplateSlotTaken: { kind: 'template', fields: { templateId: true } },
  TemplateSlotFreed: { kind: 'template', fields: { templateId: true } },
};

/** The event types of a kind. */
export const eventTypesOf = (kind: EventKind): EventType[] =>
  (Object.keys(auditRules) as EventType[]).filter((type) => auditRules[type].kind === kind);

/** The data of an event without the fields that the API does not show; nothing of an event of a later release. */
export const visibleDataOf = (type: string, data: object): Record<string, unknown> => {
  const fields: Record<string, boolean> = Object.hasOwn(auditRules, type) ? auditRules[type as EventType].fields : {};
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(fields, name) && fields[name]));
};
