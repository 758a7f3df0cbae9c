import type { EventLog } from '#application/command-handling/aggregate.ts';
import type { createKeyedLock } from '#application/templates/commands.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { Limits } from '#libs/limits/port.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/read-store/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import type { DownloadUrlFor } from '../jobs/job-view.ts';
import type { Estimator } from '#application/renders/estimate.ts';
import type { TemplateTestLimiter } from '../templates/template-test-limits.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';

/** `missing` is what the service lacks to take a render. With a metrics token, only who sends it may read the metrics. */
export type HealthDependencies = {
  health: () => { missing: string[] };
  telemetry: Pick<Telemetry, 'metricsText' | 'metricsContentType'>;
  metricsToken?: string | undefined;
};

/** What handlers work with, beside the request. */
export type Dependencies = HealthDependencies & {
  eventLog: EventLog;
  reads: ReadStore;
  /** The blobs that PDFs are made from, which are never deleted. */
  inputs: BlobStore;
  /** All blobs. */
  blobs: BlobStore;
  replies: RenderReplies;
  limits: Limits;
  estimator: Estimator;
  /** How many renders may wait before jobs are refused. */
  maxBacklog: number;
  readYourWrites: ReadYourWrites;
  /** Templates by their bare ids. */
  templates: ReadCache<TemplateDocument>;
  preparation: DocumentPreparation;
  secrets: InstallationSecrets;
  downloadUrlFor: DownloadUrlFor;
  /** Spares conflicts between creations of one account. */
  templateCreationQueue: ReturnType<typeof createKeyedLock>;
  templateTestLimiter: TemplateTestLimiter;
};
