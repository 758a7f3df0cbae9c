import { ApiError } from '#contracts/http/api-error.ts';
import { inputTypes } from '#contracts/http/render.ts';

/** Only data for json may be an object or array. */
export const dataTypeErrors = ({ data, input_type: inputType }: Record<string, unknown>): ApiError[] => {
  if (typeof data !== 'object' || data === null || inputType === 'json') return [];
  if (!inputTypes.some((type) => type === inputType)) return [];
  const message = `data must be a string if input_type is ${String(inputType)}; only json accepts an object or array.`;
  return [ApiError.of('invalid_request', message, { field: 'data' })];
};
