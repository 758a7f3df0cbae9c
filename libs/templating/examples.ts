import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CreateTemplate } from '#contracts/http/templates.ts';
import { createTemplate } from '#contracts/http/templates.ts';

/** The shipped templates, by their folder under `templates/`. */
export const exampleNames = ['invoice', 'contract', 'report', 'certificate', 'letter', 'receipt'] as const;
export type ExampleName = (typeof exampleNames)[number];

/** A shipped template: the body that creates it, and data that fills it. */
export type Example = { folder: ExampleName; template: CreateTemplate; sample: Record<string, unknown> };

const shelf = new URL('../../templates/', import.meta.url);
const sampleData = z.record(z.string(), z.unknown());

const textIn = (folder: ExampleName, file: string) => readFile(new URL(`${folder}/${file}`, shelf), 'utf8');

/** Reads one shipped template from disk; fails where its files are missing or are no valid template. */
export const readExample = async (folder: ExampleName): Promise<Example> => {
  const [content, about, sample] = await Promise.all([textIn(folder, 'template.html'), textIn(folder, 'template.json'), textIn(folder, 'sample.json')]);
  return { folder, template: createTemplate.parse({ ...JSON.parse(about), content }), sample: sampleData.parse(JSON.parse(sample)) };
};

/** Reads all shipped templates, in the order of `exampleNames`. */
export const readExamples = (): Promise<Example[]> => Promise.all(exampleNames.map(readExample));
