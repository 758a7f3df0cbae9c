import { Problem } from '#contracts/http/problem.ts';
import { analyse, type Analysis } from '#libs/templating/analyse.ts';
import { expand, type Expansion } from '#libs/templating/expand.ts';
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

const readData = (data: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    throw Problem.of('invalid_request', `data is not JSON: ${(error as SyntaxError).message}`, { field: 'data' });
  }
};

type Sizes = Pick<Expansion, 'maxOutputBytes' | 'bounds'>;

/** The HTML that a template filled with data gives. Throws a Problem. */
export const expandTemplate = ({ data, maxImages: _, ...template }: TemplateInput, sizes: Sizes = { maxOutputBytes }): string =>
  expand({ ...template, data: readData(data), ...sizes });

/** Fills a template and makes a document for the browser of it, in the calling thread. Throws a Problem. */
export const prepareTemplate = (input: TemplateInput): Prepared => prepareHtml(expandTemplate(input), input.maxImages);

export const analyseTemplate = ({ content, variables }: { content: string; variables: Variable[] }): Analysis => analyse(content, variables);
