import { expect, it } from 'vitest';
import { checkSignature } from './formats.ts';

const compoundFile = (stream: string): Buffer =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from(stream, 'utf16le')]);

it('accepts as DOC only a compound file with the stream of a Word document', () => {
  expect(() => checkSignature('doc', compoundFile('WordDocument'))).not.toThrow();
  for (const other of ['Workbook', '\uffff'.repeat(100)])
    expect(() => checkSignature('doc', compoundFile(other))).toThrow('not a file of the format DOC');
});

it('asks for another file when a compound file is sent as a newer format', () => {
  expect(() => checkSignature('xlsx', compoundFile('Workbook'))).toThrow('has an older format');
});
