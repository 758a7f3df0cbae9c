/** Names that cross a boundary: identifiers, streams, subjects, consumers. They are written in this file only. */

/** The pattern of a bare id, which is a ULID. */
export const ulidPattern = '[0-9A-HJKMNP-TV-Z]{26}';

/** The identifiers in the API, from bare ids. */
export const renderIdOf = (id: string) => `render_${id}`;
/** The file name of a PDF whose request has none. */
export const defaultFileNameOf = (id: string) => `${renderIdOf(id)}.pdf`;
export const jobIdOf = (id: string) => `job_${id}`;
export const accountIdOf = (id: string) => `acc_${id}`;
export const apiKeyIdOf = (id: string) => `key_${id}`;
export const personIdOf = (id: string) => `person_${id}`;
export const sessionIdOf = (id: string) => `session_${id}`;
export const invitationIdOf = (id: string) => `inv_${id}`;
export const templateIdOf = (id: string) => `tpl_${id}`;

export type IdPrefix = 'render' | 'job' | 'acc' | 'key' | 'tpl' | 'person' | 'session' | 'inv';

const idPattern = new RegExp(`^([a-z]+)_(${ulidPattern})$`);

/**
 * The bare id of an id of the API, such as `render_<id>`; undefined for another prefix or an invalid id.
 */
export const bareId = (prefix: IdPrefix, prefixed: string): string | undefined => {
  const match = idPattern.exec(prefixed);
  return match?.[1] === prefix ? match[2] : undefined;
};

export const keyPrefixes = { test: 'svc_test_', live: 'svc_live_' } as const;

export const streams = {
  account: (id: string) => `account-${id}`,
  apiKey: (id: string) => `apiKey-${id}`,
  templateName: (hash: string) => `templateName-${hash}`,
  templateSlots: (accountId: string) => `templateSlots-${accountId}`,
  template: (id: string) => `template-${id}`,
  render: (id: string) => `render-${id}`,
  delivery: (id: string) => `delivery-${id}`,
  webhookTest: (id: string) => `webhookTest-${id}`,
  person: (id: string) => `person-${id}`,
  session: (id: string) => `session-${id}`,
  signInLink: (id: string) => `signInLink-${id}`,
  /** The members of an account, by the account's id. */
  members: (accountId: string) => `members-${accountId}`,
  idempotency: (hash: string) => `idempotency-${hash}`,
  /** The only one in an event log. */
  installation: () => 'installation-1',
} as const;

/** The bare id or hash at the end of a stream's name. */
export const idOfStream = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

const subjectForms: Readonly<Record<string, (id: string) => string>> = {
  account: accountIdOf,
  apiKey: apiKeyIdOf,
  template: templateIdOf,
  render: renderIdOf,
  delivery: jobIdOf,
  person: personIdOf,
  session: sessionIdOf,
  members: accountIdOf,
};

/** The id in the API of what a stream is about: a delivery has that of its job. Null for a stream without one. */
export const subjectIdOf = (stream: string): string | null =>
  subjectForms[stream.slice(0, stream.indexOf('-'))]?.(idOfStream(stream)) ?? null;

export const subjects = {
  renderRequested: 'render.requested',
  /** Documents that LibreOffice lays out. */
  officeRenderRequested: 'office-render.requested',
  deliveryDue: 'delivery.due',
} as const;

export const consumers = { renderer: 'renderer', officeRenderer: 'office-renderer', delivery: 'delivery' } as const;

export const readModels = {
  renders: 'renders',
  deliveries: 'deliveries',
  workDurations: 'workDurations',
  accounts: 'accounts',
  apiKeys: 'apiKeys',
  usage: 'usage',
  templates: 'templates',
  templateVersions: 'templateVersions',
  templateUsage: 'templateUsage',
  audit: 'audit',
  people: 'people',
  sessions: 'sessions',
  members: 'members',
  invitations: 'invitations',
  webhookStatistics: 'webhookStatistics',
} as const;
