import { describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseRenderRequest } from './render-request.ts';

const faultOf = (body: Record<string, unknown>) => {
  try {
    return parseRenderRequest(body);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return (error as ApiError).fields;
  }
};

describe('A render request', () => {
  it('of an unknown mode is refused for its mode, whatever else it lacks', () => {
    for (const more of [{}, { data: 'x' }, { template_id: 'tpl_x' }, { input_type: 'odt' }]) {
      expect(faultOf({ mode: 'PRINT', ...more })).toMatchObject({
        name: 'invalid_mode',
        extra: { received: 'PRINT', valid_values: ['CONVERT', 'RENDER'] },
      });
    }
  });

  it('without a mode lacks a field', () => {
    expect(faultOf({ data: 'x' })).toMatchObject({ name: 'invalid_request', extra: { field: 'mode' } });
  });

  it('lacks data in the one mode, and the template in the other', () => {
    expect(faultOf({ mode: 'CONVERT' })).toMatchObject({ name: 'missing_data' });
    expect(faultOf({ mode: 'RENDER' })).toMatchObject({ name: 'missing_template_id' });
    expect(faultOf({ mode: 'RENDER', template_id: 'tpl_x' })).toMatchObject({
      name: 'invalid_request',
      extra: { field: 'data' },
    });
  });
});
