import { describe, expect, it } from 'vitest';
import { UnknownEventVersionError, upcast, createUpcaster, versionOf } from './upcast.ts';

const { upcast: lift, versionOf: versionNow } = createUpcaster({
  Renamed: [
    ({ title }: { title: string }) => ({ name: title }),
    ({ name }: { name: string }) => ({ name, locale: 'en' }),
  ],
});

describe('An event', () => {
  it('whose type has one version is not changed', () => {
    const event = {
      type: 'RenderStarted',
      version: 1,
      data: { attempt: 1, worker: 'a', queueMs: 0 },
      stream: 'render-1',
    };
    expect(upcast(event)).toBe(event);
    expect(versionOf('RenderStarted')).toBe(1);
  });

  it('of an old version is converted step by step to the current one, and keeps its other fields', () => {
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

  it('of a later release is rejected', () => {
    expect(() => lift({ type: 'Renamed', version: 4, data: {} })).toThrow(UnknownEventVersionError);
    expect(() => upcast({ type: 'RenderStarted', version: 2, data: {} })).toThrow('RenderStarted has version 2');
  });

  it('may have the name of a property of every object', () => {
    expect(versionOf('hasOwnProperty')).toBe(1);
  });
});
