import { z } from 'zod';
import { conformanceViolation } from './conformance.ts';
import { defineError } from './define-error.ts';
import { facturXViolation } from './factur-x.ts';

/** The errors of documents that do not meet a standard. */
export const standardErrors = {
  conformance_not_met: defineError(
    'conformance_not_met',
    422,
    'The document cannot conform to the standards of the option conformance.',
    {
      violations: z.array(conformanceViolation).describe('What to change; at most 50 are listed.'),
      total_violations: z.number().int(),
    },
  ),
  invalid_factur_x: defineError(
    'invalid_factur_x',
    422,
    'The XML of factur_x does not fit its profile, or its totals do not add up.',
    {
      violations: z.array(facturXViolation).describe('What to change; at most 20 are listed.'),
      total_violations: z.number().int(),
    },
  ),
} as const;
