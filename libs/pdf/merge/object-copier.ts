import { createHash } from 'node:crypto';
import {
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFDocument,
  type PDFObject,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import type { PdfWriter } from './pdf-writer.ts';

/** Copies objects of one PDF into the PDF that is written. */
export type ObjectCopier = {
  /** Gives an object its number before it is written, because other objects refer to it. */
  reserve(reference: PDFRef): number;
  /** Writes `number` in place of the object in everything that is written from now on. */
  replaceBy(reference: PDFRef, number: number): void;
  /** Leaves the object out: `null` is written in place of it. */
  omit(reference: PDFRef): void;
  /** The text of an object. All other objects that it refers to are written first. */
  textOf(object: PDFObject | undefined): string;
  /** Writes an object that is reserved. */
  writeReserved(reference: PDFRef, object?: PDFObject): void;
};

const finalGeneration = 65_535;

/** A reference to an object of the PDF that is written, for use within objects of the PDF that is read. */
export const finalReference = (number: number): PDFRef => PDFRef.of(number, finalGeneration);

const structureKeys = new Set([PDFName.of('StructParents'), PDFName.of('StructParent')]);
const lengthKey = PDFName.of('Length');

const referencesIn = (object: PDFObject, into: PDFRef[]): PDFRef[] => {
  if (object instanceof PDFRef) into.push(object);
  else if (object instanceof PDFArray) for (const item of object.asArray()) referencesIn(item, into);
  else if (object instanceof PDFDict) for (const [, value] of object.entries()) referencesIn(value, into);
  else if (object instanceof PDFStream) referencesIn(object.dict, into);
  return into;
};

type State = 'open' | 'omitted' | number;

/**
 * `written` has the numbers of objects by their hash, and is shared by all PDFs that are merged: an object with the same
 * bytes as one before, such as a font, an image or a colour profile, is not written again. `structureKey` is added to the
 * keys of the parent tree.
 */
export const openObjectCopier = (
  { context }: PDFDocument,
  writer: PdfWriter,
  written: Map<string, number>,
  structureKey: number,
): ObjectCopier => {
  const states = new Map<PDFRef, State>();

  const serialise = (object: PDFObject): string => {
    if (object instanceof PDFRef) {
      if (object.generationNumber === finalGeneration) return `${object.objectNumber} 0 R`;
      const state = states.get(object);
      return typeof state === 'number' ? `${state} 0 R` : 'null';
    }
    if (object instanceof PDFArray) return `[${object.asArray().map(serialise).join(' ')}]`;
    if (object instanceof PDFDict) {
      const entries = object.entries().map(([key, value]) => {
        const isKey = structureKeys.has(key) && value instanceof PDFNumber;
        return `${key.toString()} ${isKey ? String(value.asNumber() + structureKey) : serialise(value)}`;
      });
      return `<<${entries.join('\n')}>>`;
    }
    return object.toString();
  };

  const bodyOf = (object: PDFObject): { text: string; stream?: Uint8Array } => {
    if (!(object instanceof PDFStream)) return { text: serialise(object) };
    const stream = object.getContents();
    object.dict.set(lengthKey, PDFNumber.of(stream.byteLength));
    return { text: serialise(object.dict), stream };
  };

  /** Writes an object once its references have numbers. `reserved` is its number if something refers to it already. */
  const writeShared = (object: PDFObject, reserved: number | null): number => {
    const { text, stream } = bodyOf(object);
    if (reserved !== null) {
      writer.write(reserved, text, stream);
      return reserved;
    }
    const digest = createHash('sha256').update(text, 'latin1');
    if (stream) digest.update('\n').update(stream);
    const hash = digest.digest('base64');
    const before = written.get(hash);
    if (before !== undefined) return before;
    const number = writer.reserve();
    writer.write(number, text, stream);
    written.set(hash, number);
    return number;
  };

  /** Writes all objects that these refer to, the inner ones first, without recursion. */
  const resolve = (references: readonly PDFRef[]): void => {
    const inCycle = new Set<PDFRef>();
    const pending = [...references];
    for (let next = pending.at(-1); next; next = pending.at(-1)) {
      const state = states.get(next);
      const isReserved = inCycle.has(next);
      if (next.generationNumber === finalGeneration || (state !== undefined && state !== 'open' && !isReserved)) {
        pending.pop();
        continue;
      }
      const object = context.lookup(next);
      if (!object) {
        states.set(next, 'omitted');
        pending.pop();
        continue;
      }
      if (state === undefined) {
        states.set(next, 'open');
        for (const inner of referencesIn(object, [])) {
          const innerState = states.get(inner);
          if (innerState === undefined) pending.push(inner);
          else if (innerState === 'open' && !inCycle.has(inner)) {
            states.set(inner, writer.reserve());
            inCycle.add(inner);
          }
        }
        continue;
      }
      pending.pop();
      states.set(next, writeShared(object, isReserved ? (state as number) : null));
      inCycle.delete(next);
    }
  };

  const textOf = (object: PDFObject | undefined): string => {
    if (!object) return 'null';
    resolve(referencesIn(object, []));
    return serialise(object);
  };

  return {
    reserve: (reference) => {
      const before = states.get(reference);
      if (typeof before === 'number') return before;
      const number = writer.reserve();
      states.set(reference, number);
      return number;
    },
    replaceBy: (reference, number) => void states.set(reference, number),
    omit: (reference) => void states.set(reference, 'omitted'),
    textOf,
    writeReserved: (reference, object = context.lookup(reference)) => {
      const number = states.get(reference) as number;
      if (object instanceof PDFStream) {
        resolve(referencesIn(object, []));
        const { text, stream } = bodyOf(object);
        writer.write(number, text, stream);
      } else writer.write(number, textOf(object));
    },
  };
};
