import { describe, expect, it } from 'vitest';
import { UnknownEventVersionError, upcast, createUpcaster, versionOf } from './upcast.ts';

const { upcast: lift, versionOf: versionNow } = createUpcaster({
  Renamed: [
    ({ title }: { title: string }) => ({ name: title }),
    ({ name }: { name: string }) => ({ name, locale: 'en' }),
  ],
});

describe('an event', () => {
  it('that has only ever had one shape comes as it was recorded', () => {
    const event = {
      type: 'RenderStarted',
      version: 1,
      data: { attempt: 1, worker: 'a', queueMs: 0 },
      stream: 'render-1',
    };
    expect(upcast(event)).toBe(event);
    expect(versionOf('RenderStarted')).toBe(1);
  });

  it('of an old version is lifted step by step to the present one, and keeps all else', () => {
    expect(lift({ type: 'Renamed', version: 1, data: { title: 'x' }, position: 7 })).toEqual({
      type: 'Renamed',
      version: 3,
      data: { name: 'x', locale: 'en' },
      position: 7,
    });
    expect(lift({ type: 'Renamed', version: 2, data: { name: 'x' } })).toEqual({
      type: 'Renamed',
      version: 3,
      data: { name: 'x', locale: 'en' },
    });
    expect(versionNow('Renamed')).toBe(3);
  });

  it('of a later release is refused rather than misread', () => {
    expect(() => lift({ type: 'Renamed', version: 4, data: {} })).toThrow(UnknownEventVersionError);
    expect(() => upcast({ type: 'RenderStarted', version: 2, data: {} })).toThrow('RenderStarted has version 2');
  });

  it('may bear the name of something that every object has', () => {
    expect(versionOf('hasOwnProperty')).toBe(1);
  });
});
