import { analyse, type Analysis } from '#libs/templating/analyse.ts';
import { expand } from '#libs/templating/expand.ts';
import type { Variable } from '#contracts/http/templates.ts';
import { prepareHtml } from './html/convert.ts';
import type { Prepared } from './prepared.ts';

export type TemplateInput = {
  content: string;
  /** Names the content: equal hashes mean equal contents. */
  contentHash: string;
  /** JSON in UTF-8. */
  data: Uint8Array;
  variables: Variable[];
  locale: string;
  timeZone: string;
  maxImages: number | null;
};

const maxOutputBytes = 32 * 1024 * 1024;

/** Fills a template and makes a document for the browser of it, in the calling thread. Throws a Problem. */
export const prepareTemplate = ({ data, maxImages, ...template }: TemplateInput): Prepared =>
  prepareHtml(expand({ ...template, data: JSON.parse(new TextDecoder().decode(data)), maxOutputBytes }), maxImages);

export const analyseTemplate = ({ content, variables }: { content: string; variables: Variable[] }): Analysis => analyse(content, variables);
