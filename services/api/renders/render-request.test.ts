import { describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseRenderRequest } from './render-request.ts';

const errorFieldsOf = (body: Record<string, unknown>) => {
  try {
    return parseRenderRequest(body);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return (error as ApiError).fields;
  }
};

describe('A render request', () => {
  it('with an unknown mode is rejected for its mode, whatever else is missing', () => {
    for (const more of [{}, { data: 'x' }, { template_id: 'tpl_x' }, { input_type: 'odt' }]) {
      expect(errorFieldsOf({ mode: 'PRINT', ...more })).toMatchObject({
        name: 'invalid_mode',
        extra: { received: 'PRINT', valid_values: ['CONVERT', 'RENDER', 'COMPOSE'] },
      });
    }
  });

  it('without a mode is an invalid request', () => {
    expect(errorFieldsOf({ data: 'x' })).toMatchObject({ name: 'invalid_request', extra: { field: 'mode' } });
  });

  it('needs data for CONVERT, and a template and data for RENDER', () => {
    expect(errorFieldsOf({ mode: 'CONVERT' })).toMatchObject({ name: 'missing_data' });
    expect(errorFieldsOf({ mode: 'RENDER' })).toMatchObject({ name: 'missing_template_id' });
    expect(errorFieldsOf({ mode: 'RENDER', template_id: 'tpl_x' })).toMatchObject({
      name: 'invalid_request',
      extra: { field: 'data' },
    });
  });
});
