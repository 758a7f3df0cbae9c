import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CreateTemplateRequest } from '#contracts/http/templates.ts';
import { createTemplateRequest } from '#contracts/http/templates.ts';

/** The templates delivered with the product, by their folder under `templates/`. */
export const exampleNames = ['invoice', 'contract', 'report', 'certificate', 'letter', 'receipt'] as const;
export type ExampleName = (typeof exampleNames)[number];

/** An example: the request body that creates the template, and sample data for it. */
export type Example = { folder: ExampleName; template: CreateTemplateRequest; sample: Record<string, unknown> };

const templatesFolder = new URL('../../templates/', import.meta.url);
const sampleData = z.record(z.string(), z.unknown());

const readExampleFile = (folder: ExampleName, file: string) =>
  readFile(new URL(`${folder}/${file}`, templatesFolder), 'utf8');

/** Reads one example from disk. @throws if its files are missing or are not a valid template */
export const readExample = async (folder: ExampleName): Promise<Example> => {
  const [content, metadata, sample] = await Promise.all([
    readExampleFile(folder, 'template.html'),
    readExampleFile(folder, 'template.json'),
    readExampleFile(folder, 'sample.json'),
  ]);
  return {
    folder,
    template: createTemplateRequest.parse({ ...JSON.parse(metadata), content }),
    sample: sampleData.parse(JSON.parse(sample)),
  };
};

export const readExamples = (): Promise<Example[]> => Promise.all(exampleNames.map(readExample));
