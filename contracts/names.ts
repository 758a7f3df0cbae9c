/** Names that cross a boundary: identifiers, streams, subjects, consumers. They are written in this file only. */

/** The identifiers in the API, from bare ids. */
export const renderIdOf = (id: string) => `render_${id}`;
export const jobIdOf = (id: string) => `job_${id}`;
export const accountIdOf = (id: string) => `acc_${id}`;
export const apiKeyIdOf = (id: string) => `key_${id}`;
export const templateIdOf = (id: string) => `tpl_${id}`;

/**
 * The bare id of `render_<id>`, `job_<id>`, `acc_<id>`, `key_<id>` or `tpl_<id>`; undefined for another prefix or an
 * invalid id.
 */
export const bareId = (prefix: 'render' | 'job' | 'acc' | 'key' | 'tpl', prefixed: string): string | undefined => {
  const match = /^([a-z]+)_([0-9A-HJKMNP-TV-Z]{26})$/.exec(prefixed);
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
  idempotency: (hash: string) => `idempotency-${hash}`,
  /** The only one in an event log. */
  installation: () => 'installation-1',
} as const;

/** The bare id or hash at the end of a stream's name. */
export const idOfStream = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

export const subjects = { renderRequested: 'render.requested', deliveryDue: 'delivery.due' } as const;

export const consumers = { renderer: 'renderer', delivery: 'delivery' } as const;

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
} as const;
