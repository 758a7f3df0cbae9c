import { describe, expect, it } from 'vitest';
import { parseKurrentDbAddress } from './address.ts';

describe('A KurrentDB address', () => {
  it.each([
    ['kurrentdb://db:2113?tls=false', 'kurrentdb://db:2113?tls=false', 'db:2113'],
    ['esdb://user:secret@db:2113', 'kurrentdb://user:secret@db:2113', 'db:2113'],
    ['esdb+discover://user:secret@db:2113/?tls=true', 'kurrentdb+discover://user:secret@db:2113?tls=true', 'db:2113'],
    [
      'kurrentdb://user:s%40cret@a:2113,b:2113,c?tls_verify_cert=false',
      'kurrentdb://user:s%40cret@a:2113,b:2113,c?tls_verify_cert=false',
      'a:2113, b:2113, c',
    ],
  ])('%s is accepted', (url, forDriver, hosts) => {
    expect(parseKurrentDbAddress(url)).toEqual({ url: forDriver, hosts });
  });

  it.each([
    ['http://user:secret@db:2113', 'is not a KurrentDB address'],
    ['kurrentdb://user:secret@', 'where host:port is expected'],
    ['kurrentdb://user:secret@db:port', 'where host:port is expected'],
    ['kurrentdb://user:sec:ret@db:2113', '%3A'],
    ['kurrentdb://user:sec@ret@db:2113', 'is not a KurrentDB address'],
    ['kurrentdb://user:secret@db:2113?tsl=false', 'an unknown option "tsl"'],
    ['kurrentdb://user:secret@db:2113?tls', 'without a value'],
    ['kurrentdb://user:secret@db:2113?tls=maybe', 'true or false'],
    ['kurrentdb://user:secret@db:2113?keepAliveInterval=soon', 'a whole number'],
    ['kurrentdb://user:secret@db:2113?nodePreference=best', 'leader, follower'],
    ['kurrentdb://user:secret@db:2113?throwOnAppendFailure=false', 'leave it out'],
  ])('%s is rejected with a message that does not contain the password', (url, message) => {
    expect(() => parseKurrentDbAddress(url)).toThrow(message);
    expect(() => parseKurrentDbAddress(url)).not.toThrow(/sec/);
  });
});
