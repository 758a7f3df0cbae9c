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

/** `missing` lists what the service needs before it can accept a render. `metricsToken` is required to read the metrics. */
export type HealthDependencies = {
  health: () => { missing: string[] };
  telemetry: Pick<Telemetry, 'metricsText' | 'metricsContentType'>;
  metricsToken?: string | undefined;
};

/** What handlers need besides the request. */
export type Dependencies = HealthDependencies & {
  eventLog: EventLog;
  reads: ReadStore;
  /** The blobs of inputs and templates, which are never deleted. */
  inputs: BlobStore;
  /** All blobs. */
  blobs: BlobStore;
  replies: RenderReplies;
  limits: Limits;
  estimator: Estimator;
  /** The number of waiting renders above which jobs are rejected. */
  maxBacklog: number;
  readYourWrites: ReadYourWrites;
  /** Templates by bare id. */
  templates: ReadCache<TemplateDocument>;
  preparation: DocumentPreparation;
  secrets: InstallationSecrets;
  downloadUrlFor: DownloadUrlFor;
  /** Prevents conflicts between concurrent creations of one account. */
  templateCreationQueue: ReturnType<typeof createKeyedLock>;
  templateTestLimiter: TemplateTestLimiter;
};
