import { audit } from './audit.ts';
import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import { deliveries } from './deliveries.ts';
import { workDurations } from './work-durations.ts';
import { members } from './members.ts';
import { people } from './people.ts';
import { invitations } from './invitations.ts';
import type { Projection } from './projection.ts';
import { renders } from './renders.ts';
import { sessions } from './sessions.ts';
import { templateUses } from './template-uses.ts';
import { templateVersions } from './template-versions.ts';
import { templates } from './templates.ts';
import { usage } from './usage.ts';
import { webhookStatistics } from './webhook-statistics.ts';

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
  webhookStatistics,
  people,
  sessions,
  members,
  audit,
  invitations,
];
