import { parse } from 'css-tree/dist/csstree.esm';
import { z } from 'zod';
import type { ApiError } from '#contracts/http/api-error.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { maxSelectorLength, pageUrl } from '#contracts/http/page-request.ts';
import { inputTypes } from '#contracts/http/render.ts';
import { findErrors } from '../server/validation/validate.ts';

type Body = Record<string, unknown>;

const selectorProblem = (selector: string): string | null => {
  try {
    let problem: string | null = null;
    parse(selector, { context: 'selectorList', onParseError: ({ message }) => (problem ??= message) });
    return problem;
  } catch (error) {
    return (error as Error).message;
  }
};

/**
 * The error of a text that is not a CSS selector. The browser may refuse more of them. Other values are checked
 * elsewhere.
 */
export const selectorErrors = (selector: unknown, field = 'wait_for_selector'): ApiError[] => {
  const isChecked = typeof selector === 'string' && selector.length > 0 && selector.length <= maxSelectorLength;
  const problem = isChecked ? selectorProblem(selector) : null;
  return problem === null ? [] : [invalidField(field, `${field} is not a CSS selector: ${problem}.`)];
};

/** The same for the default options of a template. */
export const defaultSelectorErrors = ({ default_options: defaults }: Body): ApiError[] =>
  typeof defaults === 'object' && defaults !== null && 'wait_for_selector' in defaults
    ? selectorErrors(defaults.wait_for_selector, 'default_options.wait_for_selector')
    : [];

const urlData = z.object({ data: pageUrl });
const onlyForPages = ['url_headers', 'url_cookies'] as const;
const withBaseUrl: readonly string[] = ['html', 'markdown'];

const urlErrors = ({ input_type: inputType, data }: Body): ApiError[] =>
  inputType === 'url' && typeof data === 'string' && data !== '' ? findErrors(urlData, { data }).errors : [];

/** The errors of fields that the input type does not allow. */
const misplacedFieldErrors = (body: Body): ApiError[] => {
  const inputType = inputTypes.find((type) => type === body.input_type);
  if (inputType === undefined) return [];
  const misplaced = inputType === 'url' ? [] : onlyForPages.filter((field) => body[field] !== undefined);
  const errors = misplaced.map((field) => invalidField(field, `${field} is allowed only if input_type is url.`));
  if (body.base_url === undefined || withBaseUrl.includes(inputType)) return errors;
  const message = `base_url is allowed only if input_type is ${withBaseUrl.join(' or ')}, and for templates.`;
  return [...errors, invalidField('base_url', message)];
};

/** Only data for json may be an object or array. */
export const dataTypeErrors = ({ data, input_type: inputType }: Body): ApiError[] => {
  if (typeof data !== 'object' || data === null || inputType === 'json') return [];
  if (!inputTypes.some((type) => type === inputType)) return [];
  const message = `data must be a string if input_type is ${String(inputType)}; only json accepts an object or array.`;
  return [invalidField('data', message)];
};

/** The errors that depend on the input type: the URL of a page, and the fields about pages. */
export const pageFieldErrors = (body: Body): ApiError[] => [
  ...urlErrors(body),
  ...misplacedFieldErrors(body),
  ...selectorErrors(body.wait_for_selector),
];
