import { z } from 'zod';

const searchedTypes = ['render', 'template', 'key', 'person'] as const;

export const searchQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(2)
    .max(200)
    .describe(
      'An id such as render_<id>, job_<id>, tpl_<id>, key_<id>, person_<id>, delivery_<id> or msg_<id>, or its ' +
        'beginning; a request id; a trace id; the SHA-256 of a PDF; the prefix of an API key; or a part of the name of ' +
        'a template, key or person.',
    ),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

const searchHit = z.object({
  type: z.enum(searchedTypes),
  id: z.string().describe('render_<id>, tpl_<id>, key_<id> or person_<id>.'),
  title: z.string().describe('The name; for a render its input type, or its template and version.'),
  matched: z
    .enum(['id', 'request_id', 'trace_id', 'pdf_sha256', 'prefix', 'name'])
    .describe('What the text was found in.'),
  status: z.string().optional().describe('The status of a render, or `revoked` for a revoked key.'),
  created_at: z.string().optional(),
  job_id: z.string().optional().describe('For an asynchronous render.'),
});
export type SearchHit = z.output<typeof searchHit>;

/** 200 of GET /search. */
export const searchResponse = z.object({ results: z.array(searchHit) });
