import { z } from 'zod';

export type ErrorDefinition = { status: number; meaning: string; extra: z.ZodObject };

/** The HTTP status, the meaning and the own fields of an error. */
export const defineError = <const S extends number, X extends z.ZodRawShape>(
  status: S,
  meaning: string,
  extra: X = {} as X,
) => ({ status, meaning, extra: z.object(extra) });
