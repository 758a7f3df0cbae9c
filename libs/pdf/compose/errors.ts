import { ApiError } from '#contracts/http/api-error.ts';

/** The error of a part, with the part: `parts[3]`. Other errors stay as they are. */
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
  return ApiError.from({
    ...fields,
    message: `${origin}: ${error.message}`,
    extra: { ...fields.extra, ...located, part: origin },
  });
};
