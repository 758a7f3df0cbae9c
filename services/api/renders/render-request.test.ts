import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseRenderRequest } from './render-request.ts';

const errorFieldsOf = (body: Record<string, unknown>, maxParts = 100) => {
  try {
    return parseRenderRequest(body, { maxParts });
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

  it('counts the errors of all parts, but describes only as many as a response lists', () => {
    const describeError = vi.spyOn(ApiError, 'of');
    onTestFinished(() => describeError.mockRestore());
    const wrong = { mode: 'CONVERT', input_type: 'html', data: 'x', wait_for_selector: '[', page_sise: 'A4', scael: 1 };
    const parts = Array.from({ length: 100 }, () => wrong);
    const fields = errorFieldsOf({ mode: 'COMPOSE', parts }) as ApiError['fields'];
    const { errors, omitted_errors: omitted } = fields.extra as { errors: unknown[]; omitted_errors: number };
    expect(errors.length + omitted).toBeGreaterThanOrEqual(200);
    expect(describeError.mock.calls.length).toBeLessThan(60);
  });

  it('with more parts than the plan allows is rejected for their number alone', () => {
    const parts = Array.from({ length: 101 }, () => ({ mode: 'CONVERT', input_type: 'odf', data: 'x' }));
    expect(errorFieldsOf({ mode: 'COMPOSE', parts })).toMatchObject({
      message: "parts has 101 parts; the account's plan allows 100.",
      extra: { field: 'parts' },
    });
    expect(errorFieldsOf({ mode: 'COMPOSE', parts })).not.toMatchObject({ extra: { errors: expect.anything() } });
    expect(errorFieldsOf({ mode: 'COMPOSE', parts }, 1_000)).toMatchObject({ name: 'invalid_input_type' });
  });
});
