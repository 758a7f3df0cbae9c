import { pageSizes } from '#contracts/http/page-sizes.ts';
import { orientations } from '#contracts/http/render-options.ts';
import { inputTypes, requestModes } from '#contracts/http/render.ts';

type SpecificErrorName = 'invalid_mode' | 'invalid_input_type' | 'invalid_page_size' | 'invalid_orientation';
type SpecificError = { error: SpecificErrorName; validValues: readonly string[] };

/** Fields of a request with an error code of their own, used if the field is present but wrong. */
export const specificErrors: ReadonlyMap<string, SpecificError> = new Map([
  ['mode', { error: 'invalid_mode', validValues: requestModes }],
  ['input_type', { error: 'invalid_input_type', validValues: inputTypes }],
  ['page_size', { error: 'invalid_page_size', validValues: pageSizes }],
  ['orientation', { error: 'invalid_orientation', validValues: orientations }],
]);
