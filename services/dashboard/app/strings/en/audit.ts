import type { EventType } from '#contracts/events/event-schemas.ts';
import { plural } from './plural.ts';

/** The text of a field of an event's data, such as `outcome.status`; empty if it has no value. */
type FieldText = (path: string) => string;

/** What happened: one sentence for each type of event. */
const sentences: Record<EventType, (of: FieldText) => string> = {
  AccountOpened: (of) => `Account “${of('name')}” opened with the plan ${of('plan')}`,
  PlanChanged: (of) => `Plan changed to ${of('plan')}`,
  AccountSuspended: (of) => `Account suspended: ${of('reason')}`,
  AccountReinstated: () => 'Account reinstated',
  AccountRenamed: (of) => `Account renamed to “${of('name')}”`,
  AccountSettingsChanged: () => 'Settings of the account changed',
  WebhookSecretRotated: () => 'Webhook secret rotated',
  ApiKeyIssued: (of) => `Created the ${of('key_type')} key “${of('name')}”`,
  ApiKeyRevoked: (of) => (of('reason') ? `Revoked the key: ${of('reason')}` : 'Revoked the key'),
  WebhookTested: (of) => `Test callback sent to ${of('url')}`,
  DeliveryRequested: (of) => `Callback to ${of('url')} prepared`,
  WebhookAttemptStarted: (of) => `Callback sent, attempt ${of('attempt')}`,
  WebhookAttempted: (of) =>
    of('outcome.status')
      ? `The receiver responded with status ${of('outcome.status')}`
      : `The attempt failed: ${of('outcome.reason')}`,
  WebhookDelivered: () => 'Callback delivered',
  WebhookFailed: (of) => `Callback failed for good: ${of('last_error')}`,
  RedeliveryRequested: (of) => `Redelivery of the callback requested, round ${of('round')}`,
  WebhookTargetErased: () => 'Headers and address of the callback erased',
  IdempotencyKeyClaimed: (of) => `Idempotency-Key used for ${of('operation')}`,
  IdempotencyKeyReleased: () => 'Idempotency-Key released, because its request was rejected',
  InstallationCreated: () => 'Installation created',
  SecretRotated: () => 'Secret of the installation rotated',
  BlobStoreRegistered: () => 'Blob store registered',
  BlobStoreReplaced: () => 'Blob store replaced',
  MemberInvited: (of) => `Invited ${of('email')} as ${of('role')}`,
  InvitationWithdrawn: () => 'Invitation withdrawn',
  MemberJoined: (of) => `Joined as ${of('role')}`,
  MemberRoleChanged: (of) => `Role changed to ${of('role')}`,
  MemberRemoved: () => 'Person removed from the account',
  PersonRegistered: (of) => `${of('name')} registered`,
  PersonSignedIn: (of) => `Signed in by ${of('method')}`,
  PasskeyAdded: (of) => `Added the passkey “${of('name')}”`,
  PasskeyRenamed: (of) => `Renamed a passkey to “${of('name')}”`,
  PasskeyUsed: () => 'Used a passkey',
  PasskeyRemoved: () => 'Removed a passkey',
  OperatorGranted: () => 'Became operator',
  OperatorRevoked: () => 'Is no longer operator',
  SessionStarted: (of) => `Session started by ${of('method')}`,
  MemberSignedIn: (of) => `Signed in by ${of('method')}`,
  SessionExtended: () => 'Session extended',
  SessionRevoked: () => 'Session revoked',
  SessionEnded: () => 'Signed out',
  SignInLinkIssued: (of) => `One-time link made for ${of('email') || of('name')}`,
  SignInLinkUsed: () => 'One-time link used',
  RenderRequested: (of) =>
    of('source.mode') === 'RENDER'
      ? `Render requested from version ${of('source.template_version')} of a template`
      : `Render of ${of('source.input_type') || plural(Number(of('source.parts')), 'part')} requested`,
  RenderStarted: (of) => (of('attempt') === '1' ? 'Render started' : `Render started, attempt ${of('attempt')}`),
  RenderCompleted: (of) =>
    `Render completed: ${of('pages')} ${of('pages') === '1' ? 'page' : 'pages'} in ` +
    `${Math.round(Number(of('durations.total_ms')))} ms`,
  RenderFailed: (of) => `Render failed with ${of('error.error')}: ${of('error.message')}`,
  PageSecretsErased: () => 'Headers and cookies of the page erased',
  PdfErased: () => 'Stored PDF erased',
  PdfDiscarded: () => 'Unused PDF discarded',
  PdfRegenerationRequested: () => 'PDF regeneration for a repeated request started',
  PdfRegenerationEnded: () => 'PDF regeneration for a repeated request ended',
  DiagnosisRequested: () => 'Diagnostics requested',
  VerificationRequested: () => 'Verification requested',
  RenderVerified: (of) =>
    of('outcome.kind') === 'failed'
      ? 'Verification: the render failed'
      : 'Verification: the document was rendered again',
  RenderDiagnosed: () => 'Diagnostics collected',
  TemplateCreated: (of) => `Created the template “${of('body.name')}”`,
  TemplateVersioned: (of) => `Saved version ${of('version')}: ${of('changes')}`,
  TemplateDeleted: () => 'Deleted the template',
  TemplateCreationCancelled: () => 'Creation of the template cancelled',
  TemplateNameReservationCancelled: (of) => `The name “${of('name')}” is not used`,
  TemplateNameReserved: (of) => `Reserved the template name “${of('name')}”`,
  TemplateNameReleased: () => 'Released the name of a template',
  TemplateSlotTaken: () => 'Counted a template toward the limit',
  TemplateSlotFreed: () => 'No longer counted a template toward the limit',
};

/** The texts of the page of all events. */
export const audit = {
  text: 'Every event of the account, in the order in which they happened.',
  kind: 'Kind',
  kinds: {
    account: 'Account',
    key: 'API keys',
    person: 'People',
    template: 'Templates',
    render: 'Renders',
    webhook: 'Webhooks',
    request: 'Repeated requests',
  },
  type: 'Event',
  actor: 'Actor',
  subject: 'Paste an id',
  time: 'Time',
  order: 'Order',
  newestFirst: 'Newest first',
  oldestFirst: 'Oldest first',
  what: 'What happened',
  subjectColumn: 'About',
  when: 'When',
  downloadLines: 'JSON lines',
  downloadCsv: 'CSV',
  newEvents: 'There are new events.',
  showNew: 'Show them',
  emptyTitle: 'No event matches the filters',
  emptyText: 'Change the filters, or clear them. An id finds all events about a render, template, key or person.',
  eventTitle: 'Event',
  eventId: 'Id of the event',
  request: 'Request',
  trace: 'Trace',
  rawEvent: 'Raw event',
  sentences,
};
