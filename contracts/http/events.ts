import { z } from 'zod';
import { auditRules, eventKinds } from '../events/audit.ts';
import type { EventType } from '../events/event-schemas.ts';
import { ulidPattern } from '../names.ts';
import { actorResponse } from './actor.ts';
import { historyEvent, listQuery } from './jobs.ts';

const types = (Object.keys(auditRules) as EventType[]).filter((type) => auditRules[type].kind !== 'installation');

const eventOrders = ['newest', 'oldest'] as const;
const downloadFormats = ['json', 'jsonl', 'csv'] as const;

/** An event of an account. */
export const eventResponse = historyEvent.extend({
  type: z.string().describe('Such as `RenderRequested`.'),
  kind: z
    .string()
    .describe(
      `One of ${eventKinds.map((kind) => `\`${kind}\``).join(', ')}; \`other\` for an event of a later release.`,
    ),
  subject: z
    .string()
    .nullable()
    .describe('The id of what the event is about, such as `render_<id>`; the callback of a render is `job_<id>`.'),
  revision: z.number().int().describe('The number of earlier events about the same thing.'),
  actor: actorResponse,
});
export type EventResponse = z.output<typeof eventResponse>;

export const listEventsQuery = z.strictObject({
  kind: z.enum(eventKinds).optional(),
  type: z.enum(types as [EventType, ...EventType[]]).optional(),
  actor: z
    .string()
    .regex(
      new RegExp(`^((key|person)_${ulidPattern}|service|command_line)$`),
      'must be key_<id>, person_<id>, service or command_line',
    )
    .optional()
    .describe('`key_<id>`, `person_<id>`, `service` or `command_line`.'),
  subject: z
    .string()
    .regex(new RegExp(`^[a-z]+_${ulidPattern}$`), 'must be an id, such as render_<id>')
    .optional()
    .describe('The id of a render, job, template, key, person or account: only the events about it.'),
  ...listQuery,
  since: listQuery.since.describe('Events at or after this ISO 8601 time.'),
  until: listQuery.until.describe('Events before this ISO 8601 time.'),
  order: z.enum(eventOrders).default('newest').describe('Which events come first. Default: `newest`.'),
  cursor: z
    .string()
    .regex(new RegExp(`^${ulidPattern}$`), 'must be the next_cursor of a page')
    .optional()
    .describe('next_cursor of the previous page.'),
  format: z
    .enum(downloadFormats)
    .optional()
    .describe(
      '`jsonl` (one JSON object in each line) or `csv`: all events that match, without pages. Default: by the header ' +
        'Accept, else `json`.',
    ),
});
export type ListEventsQuery = z.output<typeof listEventsQuery>;

export const eventListResponse = z.object({
  events: z.array(eventResponse),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});
export type EventListResponse = z.output<typeof eventListResponse>;
