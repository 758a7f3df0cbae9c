import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import { deliveries } from './deliveries.ts';
import { workDurations } from './work-durations.ts';
import type { Projection } from './projection.ts';
import { renders } from './renders.ts';
import { templateUses } from './template-uses.ts';
import { templateVersions } from './template-versions.ts';
import { templates } from './templates.ts';
import { usage } from './usage.ts';

/** The projections of all read models. */
export const projections: readonly Projection[] = [
  accounts,
  apiKeys,
  renders,
  deliveries,
  workDurations,
  usage,
  templates,
  templateVersions,
  templateUses,
];
