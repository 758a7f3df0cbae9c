import { readFileSync } from 'node:fs';
import type { FacturXProfile } from '#contracts/http/factur-x.ts';

const folder = new URL('../../fixtures/invoices/', import.meta.url);

/** An invoice over 100.00 EUR and 19 % tax in the profile. */
export const sampleInvoice = (profile: FacturXProfile): string =>
  readFileSync(new URL(`${profile}.xml`, folder), 'utf8');
