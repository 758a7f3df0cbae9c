import { describe, expect, it } from 'vitest';
import { eventDataView } from './event-view.ts';

describe('The data of an event', () => {
  it('has names in snake case and ids with their prefixes', () => {
    const data = { keyId: '1', source: { inputType: 'html' } };
    expect(eventDataView({ type: 'RenderRequested', data })).toEqual({
      key_id: 'key_1',
      source: { input_type: 'html' },
    });
  });

  it('keeps the names of headers and cookies as the caller wrote them', () => {
    const page = {
      headers: { 'X-Api-Key': '***', worker: '***' },
      cookies: { PHPSESSID: '***', accountId: '***', worker: '***' },
    };
    expect(eventDataView({ type: 'RenderRequested', data: { source: { page } } })).toEqual({ source: { page } });
  });

  it('has no field that is not listed as visible', () => {
    const started = { type: 'RenderStarted', data: { attempt: 1, worker: 'host-1', later: 'x' } };
    expect(eventDataView(started)).toEqual({ attempt: 1 });
    expect(eventDataView({ type: 'EventOfALaterRelease', data: { hash: 'x' } })).toEqual({});
  });
});
