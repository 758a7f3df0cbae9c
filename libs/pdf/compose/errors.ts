import { ApiError } from '#contracts/http/api-error.ts';

type WithField = { field?: string };

/** The path of a field in a part. Errors of the content of a part have no field if no field is the cause. */
const fieldInPart = (origin: string, { field }: WithField): WithField =>
  field === undefined ? {} : { field: `${origin}.${field}` };

/** The error of a part, with the part: `parts[3]`, also in the path of its field. Other errors stay as they are. */
export const errorInPart = (origin: string, error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { fields } = error;
  const violations = fields.extra['violations'];
  const located = Array.isArray(violations)
    ? {
        violations: (violations as { element: string }[]).map((one) => ({
          ...one,
          element: `${origin}: ${one.element}`,
        })),
      }
    : {};
  const listed = fields.extra['errors'];
  const errors = Array.isArray(listed)
    ? { errors: (listed as WithField[]).map((one) => ({ ...one, ...fieldInPart(origin, one) })) }
    : {};
  return ApiError.from({
    ...fields,
    message: `${origin}: ${error.message}`,
    extra: { ...fields.extra, ...fieldInPart(origin, fields.extra), ...errors, ...located, part: origin },
  });
};
