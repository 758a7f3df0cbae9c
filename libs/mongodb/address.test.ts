import { describe, expect, it } from 'vitest';
import { parseMongoAddress, gridFsAddress } from './address.ts';

describe('A MongoDB address', () => {
  it.each([
    ['mongodb://h/x', 'h', 'x'],
    ['mongodb://a:1,b:2,c/x?replicaSet=rs0', 'a:1, b:2, c', 'x'],
    ['mongodb://user:p%40ss@h:27018/', 'h:27018', 'colophon'],
    ['mongodb://h', 'h', 'colophon'],
    ['mongodb+srv://user:word@cluster.example.com/x', 'cluster.example.com', 'x'],
    ['gridfs://user:word@h/blobs', 'h', 'blobs'],
    ['gridfs+srv://cluster.example.com', 'cluster.example.com', 'colophon'],
  ])('%s gives the hosts and the database', (url, hosts, database) => {
    expect(parseMongoAddress(url, 'READ_STORE_URL')).toMatchObject({ hosts, database });
  });

  it('keeps its options and gets default timeouts', () => {
    const { uri } = parseMongoAddress('mongodb://h/x?serverSelectionTimeoutMS=1&tls=true', 'READ_STORE_URL');
    expect([...new URL(uri).searchParams]).toEqual(
      expect.arrayContaining([
        ['serverSelectionTimeoutMS', '1'],
        ['tls', 'true'],
        ['appName', 'colophon'],
      ]),
    );
    expect(new URL(uri).searchParams.getAll('serverSelectionTimeoutMS')).toEqual(['1']);
  });

  it.each(['mongodb://', 'mongodb://user:hunter2@2@h:x:y/db', 'mongodb+srv://a,b/x', 'http://user:hunter2@h'])(
    '%s is rejected with the allowed forms and without the password',
    (url) => {
      const reading = (): unknown => parseMongoAddress(url, 'BLOB_STORE_URL');
      expect(reading).toThrow(/^BLOB_STORE_URL is not a MongoDB address; allowed is mongodb:/);
      expect(reading).not.toThrow(/hunter2/);
    },
  );

  it('of the blob store is that of the read models if it names no other', () => {
    expect(gridFsAddress('gridfs:', 'mongodb://h/x')).toEqual({ url: 'mongodb://h/x', setting: 'READ_STORE_URL' });
    expect(gridFsAddress('gridfs://g/x', 'mongodb://h/x')).toEqual({ url: 'gridfs://g/x', setting: 'BLOB_STORE_URL' });
  });
});
