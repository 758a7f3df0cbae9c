import { readFileSync } from 'node:fs';

const bytesOf = (name: string): Buffer => readFileSync(new URL(`../../fixtures/documents/${name}`, import.meta.url));

/** A document of test/fixtures/documents as text, or in base64 for Word. */
export const sampleDocument = (name: string): string =>
  name.endsWith('.docx') ? bytesOf(name).toString('base64') : bytesOf(name).toString('utf8');
