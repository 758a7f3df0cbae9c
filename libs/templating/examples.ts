import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CreateTemplateRequest } from '#contracts/http/templates.ts';
import { createTemplateRequest } from '#contracts/http/templates.ts';

/** The shipped templates, by their folder under `templates/`. */
export const exampleNames = ['invoice', 'contract', 'report', 'certificate', 'letter', 'receipt'] as const;
export type ExampleName = (typeof exampleNames)[number];

/** A shipped template: the body that creates it, and data that fills it. */
export type Example = { folder: ExampleName; template: CreateTemplateRequest; sample: Record<string, unknown> };

const templatesFolder = new URL('../../templates/', import.meta.url);
const sampleData = z.record(z.string(), z.unknown());

const readExampleFile = (folder: ExampleName, file: string) =>
  readFile(new URL(`${folder}/${file}`, templatesFolder), 'utf8');

/** Reads one shipped template from disk; fails where its files are missing or are no valid template. */
export const readExample = async (folder: ExampleName): Promise<Example> => {
  const [content, about, sample] = await Promise.all([
    readExampleFile(folder, 'template.html'),
    readExampleFile(folder, 'template.json'),
    readExampleFile(folder, 'sample.json'),
  ]);
  return {
    folder,
    template: createTemplateRequest.parse({ ...JSON.parse(about), content }),
    sample: sampleData.parse(JSON.parse(sample)),
  };
};

/** Reads all shipped templates, in the order of `exampleNames`. */
export const readExamples = (): Promise<Example[]> => Promise.all(exampleNames.map(readExample));
