import { z } from 'zod';

export type ErrorDefinition = { error: string; status: number; meaning: string; extra: z.ZodObject };

/** The code, the HTTP status, the meaning and the own fields of an error. */
export const defineError = <const E extends string, const S extends number, X extends z.ZodRawShape>(
  error: E,
  status: S,
  meaning: string,
  extra: X = {} as X,
) => ({ error, status, meaning, extra: z.object(extra) });
