import { z } from 'zod';
import { ApiError, errorOfPart, invalidField } from '#contracts/http/api-error.ts';
import {
  type ComposeRequest,
  type ComposePart,
  composeRequest,
  convertPart,
  maxComposedParts,
  type PartMode,
  partModes,
  pdfPart,
  templatePart,
} from '#contracts/http/compose.ts';
import { withConsistentPage } from '#contracts/http/render-options.ts';
import { isObject } from '#contracts/http/type-names.ts';
import { describeReceived } from '../server/validation/messages.ts';
import { suggestValue } from '../server/validation/suggest.ts';
import { findErrors, maxErrors, type Validation } from '../server/validation/validate.ts';
import { furtherErrors, isAbsent, missingField, requiredFieldOf, selectorErrors } from './document-fields.ts';

type Body = Record<string, unknown>;

const partSchemas = { CONVERT: convertPart, RENDER: templatePart, PDF: pdfPart } as const;

/** The error of a field of a part, with the path of the part. */
const inPart = (at: string, error: ApiError): ApiError =>
  error.message.startsWith(String(error.fields.extra['field']))
    ? errorOfPart(at, error, `${at}.${error.message}`)
    : errorOfPart(at, error);

const modeError = (at: string, received: unknown): ApiError => {
  const meant = suggestValue('mode', received, partModes);
  const text = `${at}.mode must be one of ${partModes.join(', ')}${meant === null ? '.' : `; did you mean \`${meant}\`?`}`;
  return ApiError.of('invalid_mode', text, {
    received: describeReceived(received),
    valid_values: [...partModes],
    field: `${at}.mode`,
    ...(meant === null ? {} : { did_you_mean: meant }),
  });
};

/** The errors of `file` in JSON, or with the name of no file. Files of a form are already replaced by their contents. */
const fileErrors = (at: string, part: Body): ApiError[] =>
  part['file'] === undefined
    ? []
    : [
        ApiError.of(
          'invalid_request',
          `${at}.file names a file of a form (multipart/form-data), which has it under files. In JSON send data.`,
          { field: `${at}.file`, did_you_mean: 'data' },
        ),
      ];

/** Validates a part. `value` is null if it has errors. Beyond about `max` errors, only those of the schema are counted. */
const findPartErrors = (received: unknown, index: number, max: number): Validation<ComposePart> => {
  const at = `parts[${index}]`;
  const failed = (error: ApiError): Validation<ComposePart> => ({ value: null, errors: [error], uncollected: 0 });
  if (!isObject(received)) return failed(invalidField(at, `${at} must be an object.`));
  const misplaced = fileErrors(at, received);
  const { file: _, ...part } = received;
  if (misplaced.length > 0 && isAbsent(part['mode'])) return failed(misplaced[0]!);
  if (!partModes.some((mode) => mode === part['mode'])) return failed(modeError(at, part['mode']));
  const mode = part['mode'] as PartMode;
  const name = requiredFieldOf(mode);
  const isMissing = misplaced.length === 0 && isAbsent(part[name]);
  const found: Validation<ComposePart> = findErrors(
    partSchemas[mode],
    part,
    ({ path: [field] }) => !((isMissing || misplaced.length > 0) && field === name),
    { at: ['parts', index] },
    max,
  );
  if (found.errors.length >= max) return found;
  const missing = isMissing ? [missingField(mode, `${at}.`)] : [];
  const further = furtherErrors(mode, part).map((one) => inPart(at, one));
  return { ...found, errors: [...misplaced, ...missing, ...found.errors, ...further] };
};

const { parts: _parts, ...wholeFields } = composeRequest.shape;
const wholeSchema = withConsistentPage(
  z.strictObject({ ...wholeFields, parts: z.array(z.unknown()).min(1).max(maxComposedParts) }),
);

/**
 * Validates a request for a composed document: the whole, and each part with its path. The parts of a request with more
 * than `maxParts`, those of the account's plan, are not validated.
 */
export const findComposeErrors = (body: Body, maxParts: number): Validation<ComposeRequest> => {
  const whole = findErrors(wholeSchema, body, ({ path: [field] }) => field !== 'mode');
  const sent: unknown[] = Array.isArray(body['parts']) ? body['parts'] : [];
  const countErrors =
    sent.length > maxParts && sent.length <= maxComposedParts
      ? [invalidField('parts', `parts has ${sent.length} parts; the account's plan allows ${maxParts}.`)]
      : [];
  const ofWhole = [...whole.errors, ...countErrors, ...selectorErrors(body['wait_for_selector'])];
  let left = maxErrors - ofWhole.length;
  // Describing an error takes much longer than finding it, and other callers wait.
  const parts = (sent.length > maxParts ? [] : sent).map((part, index) => {
    const found = findPartErrors(part, index, left);
    left -= found.errors.length;
    return found;
  });
  const contentErrors = parts.flatMap(({ errors }) => errors);
  const coverErrors = sent.flatMap((part: unknown, index) =>
    index > 0 && isObject(part) && part['cover'] === true
      ? [invalidField(`parts[${index}].cover`, `parts[${index}].cover is allowed only for the first part.`)]
      : [],
  );
  const errors = [...ofWhole, ...contentErrors, ...coverErrors];
  const uncollected = whole.uncollected + parts.reduce((sum, part) => sum + part.uncollected, 0);
  const value =
    whole.value && errors.length === 0
      ? ({ ...whole.value, parts: parts.map((part) => part.value!) } as ComposeRequest)
      : null;
  return {
    value,
    errors: errors.slice(0, maxErrors),
    uncollected: uncollected + Math.max(0, errors.length - maxErrors),
  };
};
