import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CreateTemplateRequest } from '#contracts/http/templates.ts';
import { createTemplateRequest } from '#contracts/http/templates.ts';
import { invoiceFile, withInvoice } from './invoice-file.ts';

/** The templates delivered with the product, by their folder under `templates/`. */
export const exampleNames = ['invoice', 'contract', 'report', 'certificate', 'letter', 'receipt'] as const;
/** The example that also makes XML, so that only complete data fill it in. */
export const invoiceExample = 'e-invoice';
export type ExampleName = (typeof exampleNames)[number] | typeof invoiceExample;

/** An example: the request body that creates the template, and sample data for it. */
export type Example = { folder: ExampleName; template: CreateTemplateRequest; sample: Record<string, unknown> };

const templatesFolder = new URL('../../templates/', import.meta.url);
const sampleData = z.record(z.string(), z.unknown());

const readExampleFile = (folder: ExampleName, file: string) =>
  readFile(new URL(`${folder}/${file}`, templatesFolder), 'utf8');

/** Reads one example from disk. @throws if its files are missing or are not a valid template */
export const readExample = async (folder: ExampleName): Promise<Example> => {
  const [content, metadata, sample, invoice] = await Promise.all([
    readExampleFile(folder, 'template.html'),
    readExampleFile(folder, 'template.json'),
    readExampleFile(folder, 'sample.json'),
    folder === invoiceExample ? readExampleFile(folder, invoiceFile) : null,
  ]);
  return {
    folder,
    template: createTemplateRequest.parse({ ...withInvoice(JSON.parse(metadata) as object, invoice), content }),
    sample: sampleData.parse(JSON.parse(sample)),
  };
};

export const readExamples = (): Promise<Example[]> =>
  Promise.all(([...exampleNames, invoiceExample] as const).map(readExample));
