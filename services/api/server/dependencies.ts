import type { Log } from '#application/handling/handle.ts';
import type { oneAtATime } from '#application/templates/commands.ts';
import type { Answers } from '#libs/answers/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import type { Limits } from '#libs/limits/port.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { Known } from '#libs/read-store/known.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ServiceSecrets } from '#libs/secrets/service-secret.ts';
import type { Telemetry } from '#libs/telemetry/start.ts';
import type { UrlOf } from '../jobs/view.ts';
import type { Estimates } from '#application/renders/estimate.ts';
import type { TrialTurns } from '../templates/trial-limits.ts';
import type { Freshness } from '#application/handling/freshness.ts';

/** `missing` is what the service lacks to take a render. With a metrics token, only who sends it may read the metrics. */
export type HealthDependencies = {
  health: () => { missing: string[] };
  telemetry: Pick<Telemetry, 'metricsText' | 'metricsType'>;
  metricsToken?: string | undefined;
};

/** What handlers work with, beside the request. */
export type Dependencies = HealthDependencies & {
  log: Log;
  reads: ReadStore;
  /** The blobs that PDFs are made from, which are never deleted. */
  inputs: BlobStore;
  /** All blobs. */
  blobs: BlobStore;
  answers: Answers;
  limits: Limits;
  estimates: Estimates;
  /** How many renders may wait before jobs are refused. */
  backlog: number;
  freshness: Freshness;
  /** Templates by their bare ids. */
  templates: Known<TemplateDocument>;
  preparation: Preparation;
  secrets: ServiceSecrets;
  urlOf: UrlOf;
  /** Spares conflicts between creations of one account. */
  creationInTurn: ReturnType<typeof oneAtATime>;
  trialTurns: TrialTurns;
};
