import type { EventLog } from '#application/command-handling/aggregate.ts';
import type { createKeyedLock } from '#libs/concurrency/fair-queue.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import type { CachedBlobStore } from '#libs/blob-store/cache.ts';
import { deferPuts, deferUncachedPuts, type DeferringBlobStore } from '#libs/blob-store/defer-puts.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { Limits } from '#libs/limits/port.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import type { GroupRole } from '#application/people/sign-in-by-provider.ts';
import type { IdentityProvider } from '#libs/oidc/identity-provider.ts';
import type { People } from '#application/people/people.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { AccessCheck } from '../events/access-check.ts';
import type { LiveStreams } from '../events/live-streams.ts';
import type { Cookies } from '../sessions/cookies.ts';
import type { DownloadUrlFor } from '../jobs/job-view.ts';
import type { Estimator } from '#application/renders/estimate.ts';
import type { Previews } from '#application/templates/preview.ts';
import type { PreviewLimiter } from '../templates/preview-limits.ts';
import type { EventDownloadLimiter } from '../events/download.ts';
import type { RedeliveryPace } from '#application/deliveries/redelivery-pace.ts';
import type { Egress } from '#libs/egress/egress.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { ConcurrencyLimiter } from './concurrency-limit.ts';
import type { Transfers } from './transfers.ts';

/** What the health routes and the metrics need. */
export type HealthDependencies = {
  /**
   * What the service still needs before it can accept a render; empty if it is ready. `limitations` is what it cannot do
   * although it is ready.
   */
  health: () => { missing: string[]; limitations: string[] };
  telemetry: Pick<Telemetry, 'metricsText' | 'metricsContentType'>;
  /** Required to read the metrics, if set. */
  metricsToken?: string | undefined;
};

/** What handlers need besides the request. */
export type Dependencies = HealthDependencies & {
  eventLog: EventLog;
  reads: ReadStore;
  /** The blobs of inputs and templates, which are never deleted. */
  inputs: CachedBlobStore;
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
  /** Persons, sessions and members. */
  people: People;
  /** Accounts by bare id. */
  accounts: ReadCache<AccountDocument>;
  cookies: Cookies;
  /** The OpenID Connect provider, and the roles of its groups; null without one. */
  identityProvider: { provider: IdentityProvider; groupRoles: readonly GroupRole[] } | null;
  preparation: DocumentPreparation;
  secrets: InstallationSecrets;
  downloadUrlFor: DownloadUrlFor;
  /** The public URL of the service. */
  baseUrl: string;
  /** Prevents conflicts between concurrent creations of one account. */
  templateCreationQueue: ReturnType<typeof createKeyedLock>;
  /** Counts the keys of an account for one creation at a time. */
  keyCreationQueue: ReturnType<typeof createKeyedLock>;
  transfers: Transfers;
  eventDownloads: EventDownloadLimiter;
  templateTestLimiter: ConcurrencyLimiter;
  verificationLimiter: ConcurrencyLimiter;
  redeliveryPace: RedeliveryPace;
  /** The way to the outside for test callbacks, with the address policy of all webhooks. */
  openEgress: () => Promise<Pick<Egress, 'sendWebhook'>>;
  /** The operator's limit of how long accounts can have their PDFs kept. */
  maxPdfRetentionMinutes: number;
  /** What the operator allows outgoing connections to reach: entries of the allow list. */
  egressView: { allowed: readonly string[]; hasOwnAuthorities: boolean };
  previews: Previews;
  previewLimiter: PreviewLimiter;
  liveStreams: LiveStreams;
  hasAccess: AccessCheck;
  /** The version of the service. */
  version: string;
};

/** For a request that submits a render. Its small inputs and sealed boxes are stored with RenderRequested. */
export type SubmitDependencies = Dependencies & { inputs: DeferringBlobStore; sealedBoxes: DeferringBlobStore };

/** The dependencies of one request: deferred blobs belong to its append. */
export const withDeferredInputs = (dependencies: Dependencies): SubmitDependencies => ({
  ...dependencies,
  inputs: deferPuts(dependencies.inputs),
  sealedBoxes: deferUncachedPuts(dependencies.blobs),
});
