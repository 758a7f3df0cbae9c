import { parse } from 'css-tree/dist/csstree.esm';
import { z } from 'zod';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import type { PartMode } from '#contracts/http/compose.ts';
import { maxSelectorLength, pageUrl } from '#contracts/http/page-request.ts';
import { inputTypes } from '#contracts/http/render.ts';
import { isEmptyText } from '#libs/documents/text/base64.ts';
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
const dataTypeErrors = ({ data, input_type: inputType }: Body): ApiError[] => {
  if (typeof data !== 'object' || data === null || inputType === 'json') return [];
  if (!inputTypes.some((type) => type === inputType)) return [];
  const message = `data must be a string if input_type is ${String(inputType)}; only json accepts an object or array.`;
  return [invalidField('data', message)];
};

/**
 * The errors of a document that the schema of its mode does not find: the selector, and for CONVERT what depends on the
 * input type.
 */
export const furtherErrors = (mode: PartMode, body: Body): ApiError[] => [
  ...(mode === 'CONVERT' ? [...dataTypeErrors(body), ...urlErrors(body), ...misplacedFieldErrors(body)] : []),
  ...selectorErrors(body.wait_for_selector),
];

const requiredFields = {
  CONVERT: { name: 'data', error: 'missing_data', use: 'it holds the content to convert' },
  RENDER: { name: 'template_id', error: 'missing_template_id', use: 'it names the template to render' },
  PDF: { name: 'data', error: 'missing_data', use: 'it holds the PDF in base64' },
} as const;

/** The field that a document of this mode must have. */
export const requiredFieldOf = (mode: PartMode): string => requiredFields[mode].name;

/** The error of a document without that field. `prefix` is the path of its part, if it is one. */
export const missingField = (mode: PartMode, prefix = ''): ApiError => {
  const { name, error, use } = requiredFields[mode];
  return ApiError.of(error, `${prefix}${name} is missing: ${use}.`, { field: `${prefix}${name}` });
};

/** Whether a field is missing or has no content. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && isEmptyText(value));
