import type { z } from 'zod';

/** What a caller may write for a query: every field optional, as text or as the schema has it. */
export type Query<S extends z.ZodType> = { [K in keyof z.input<S>]?: z.input<S>[K] };
