import { z } from 'zod';
import { defineError } from './define-error.ts';

const details = { field: z.string().optional(), details: z.unknown().optional() };

/** The errors of office documents. */
export const officeErrors = {
  invalid_document: defineError(
    'invalid_document',
    422,
    'The file is damaged or protected, or not of its input type.',
    details,
  ),
  office_not_installed: defineError(
    'office_not_installed',
    501,
    'The document needs LibreOffice, which is not installed on the machine of the service.',
    details,
  ),
} as const;
