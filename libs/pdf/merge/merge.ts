import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFNumber,
  type PDFObject,
  type PDFPageLeaf,
  PDFRef,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import { maxRenderWarnings } from '#contracts/events/render-warnings.ts';
import { shortName } from '../destination-names.ts';
import { name } from '../names-and-texts.ts';
import { moveDestinations, type PartLinks, readNamedDestinations, topOfPage, uniqueName } from './destinations.ts';
import { finalReference, type ObjectCopier, openObjectCopier } from './object-copier.ts';
import { inOrder } from '../trees.ts';
import { headingsBelow, readOutline } from './outline.ts';
import { openPdfWriter } from './pdf-writer.ts';
import { emptySharedStructure, type PartStructure, readPartStructure } from './structure.ts';
import { openStructureWriter } from './structure-writer.ts';

/**
 * A PDF that becomes a part. `id` is how links name it. `isBlankBefore` puts a blank page before it, of the size of the
 * page before. `isListed` says whether the outline names it.
 */
export type MergePart = { id: string; title: string; isBlankBefore: boolean; isListed: boolean };

export type MergeOptions = {
  /** One outline: each part under its title, and its own headings below. */
  hasOutline: boolean;
  /** One structure tree. */
  isTagged: boolean;
};

/** `brokenLinks` are the first links to parts that do not exist, each with the index of the part that has it. */
export type Merged = { bytes: number; pages: number; brokenLinks: { part: number; link: string }[] };

/** A warning shows no more of it. */
const maxLinkLength = 100;

/** Entries of a page that are not copied: they belong to other programs, or to what the whole document does not have. */
const omittedPageKeys = new Set(
  ['Parent', 'B', 'AA', 'PieceInfo', 'Thumb', 'LastModified', 'PresSteps', 'Metadata', 'DPart'].map(name),
);
const inheritedKeys = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
const structureKeys = ['StructParents', 'StructParent'].map(name);

/** One more than the highest key of the parent tree that an object has. Without a structure tree the keys are removed. */
const countStructureKeys = (document: PDFDocument, { root, keys }: PartStructure): number => {
  let count = keys;
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    const dictionary = object instanceof PDFStream ? object.dict : object;
    if (!(dictionary instanceof PDFDict)) continue;
    for (const key of structureKeys) {
      const value = dictionary.get(key);
      if (root === null) dictionary.delete(key);
      else if (value instanceof PDFNumber) count = Math.max(count, value.asNumber() + 1);
    }
  }
  return count;
};

const pdfText = (text: string): string => PDFHexString.fromText(text).toString();

/** The entries that make a blank page as large as this one, and turn it like this one. */
const sizeOf = (page: PDFPageLeaf, copier: ObjectCopier): string => {
  const rotation = page.Rotate()?.asNumber() ?? 0;
  const unit = page.get(name('UserUnit'));
  return (
    `/MediaBox ${copier.textOf(page.CropBox() ?? page.MediaBox())}${rotation === 0 ? '' : `\n/Rotate ${rotation}`}` +
    (unit ? `\n/UserUnit ${copier.textOf(unit)}` : '')
  );
};

/** Leaves out pages that the page tree does not have. */
const omitOtherPages = (document: PDFDocument, copier: ObjectCopier): void => {
  const own = new Set(document.getPages().map(({ ref }) => ref));
  for (const [reference, object] of document.context.enumerateIndirectObjects())
    if (object instanceof PDFDict && object.get(name('Type')) === name('Page') && !own.has(reference))
      copier.omit(reference);
};

/**
 * Writes PDFs into one, one part after the other, in the memory of the largest part: only page numbers, the outline's top,
 * named destinations and the ids of table headers are kept. The same parts always give the same bytes.
 * @param base an open PDF without pages, whose catalog and information dictionary the whole document gets
 * @returns functions to add the next part, which is changed, and to end the document
 */
export const openMerge = (
  parts: readonly MergePart[],
  { hasOutline, isTagged }: MergeOptions,
  write: (bytes: Uint8Array) => void,
) => {
  const writer = openPdfWriter(write);
  const written = new Map<string, number>();
  const shared = emptySharedStructure();
  const structureWriter = isTagged ? openStructureWriter(writer, shared) : null;
  const [pagesRoot, outlineRoot] = [writer.reserve(), writer.reserve()];
  const firstPages = parts.map(() => writer.reserve());
  const listed = parts.map((part) => hasOutline && part.isListed);
  const outlineItems = parts.map((_, index) => (listed[index] ? writer.reserve() : 0));
  const pageNodes: { number: number; count: number }[] = [];
  const destinations = new Map<string, { name: string; text: string }>();
  const required = new Map<string, string>();
  const brokenLinks = new Map<string, Merged['brokenLinks'][number]>();
  const firstPageOf = new Map(parts.map(({ id }, index) => [id, firstPages[index]!]));
  let [next, structureKey, pageCount] = [0, 0, 0];
  let lastSize: string | null = null;

  const annotationsOf = (document: PDFDocument, page: PDFDict): PDFObject[] => {
    const annotations = page.lookup(name('Annots'));
    return annotations instanceof PDFArray
      ? annotations.asArray().filter((one) => document.context.lookup(one) instanceof PDFDict)
      : [];
  };

  const copyAnnotations = (
    document: PDFDocument,
    page: PDFDict,
    move: (owner: PDFDict) => void,
    copier: ObjectCopier,
  ) =>
    annotationsOf(document, page).map((one) => {
      move(document.context.lookup(one, PDFDict));
      if (one instanceof PDFRef) copier.reserve(one);
      return one;
    });

  const copyPages = (document: PDFDocument, copier: ObjectCopier, move: (owner: PDFDict) => void): void => {
    const { title: _, isBlankBefore } = parts[next]!;
    const pages = document.getPages();
    const node = writer.reserve();
    const annotations = pages.map(({ node: page }) => copyAnnotations(document, page, move, copier));
    const kids = pages.map(({ ref }) => copier.reserve(ref));
    for (const [index, { node: page, ref }] of pages.entries()) {
      const copied = document.context.obj({});
      for (const [key, value] of page.entries()) if (!omittedPageKeys.has(key)) copied.set(key, value);
      for (const key of inheritedKeys) {
        const value = page.getInheritableAttribute(name(key));
        if (value) copied.set(name(key), value);
      }
      copied.set(name('Parent'), finalReference(node));
      if (annotations[index]!.length > 0) copied.set(name('Annots'), document.context.obj(annotations[index]!));
      else copied.delete(name('Annots'));
      copier.writeReserved(ref, copied);
      for (const one of annotations[index]!) if (one instanceof PDFRef) copier.writeReserved(one);
    }
    if (isBlankBefore) {
      const size = lastSize ?? sizeOf(pages[0]!.node, copier);
      kids.unshift(writer.append(`<</Type /Page\n/Parent ${node} 0 R\n${size}\n/Resources <<>>>>`));
    }
    lastSize = sizeOf(pages.at(-1)!.node, copier);
    const references = kids.map((kid) => `${kid} 0 R`).join(' ');
    writer.write(node, `<</Type /Pages\n/Parent ${pagesRoot} 0 R\n/Count ${kids.length}\n/Kids [${references}]>>`);
    pageNodes.push({ number: node, count: kids.length });
    pageCount += kids.length;
  };

  const copyOutline = (document: PDFDocument, copier: ObjectCopier, move: (owner: PDFDict) => void): void => {
    if (!listed[next]) return;
    const { own, below } = headingsBelow(parts[next]!.title, readOutline(document));
    const number = outlineItems[next]!;
    const items = [...inOrder(below)];
    for (const { reference } of items) copier.reserve(reference);
    const root = document.catalog.get(name('Outlines'));
    if (root instanceof PDFRef) copier.replaceBy(root, number);
    if (own) copier.replaceBy(own.reference, number);
    for (const { reference, dictionary } of items) {
      move(dictionary);
      if (!isTagged) dictionary.delete(name('SE'));
      copier.writeReserved(reference);
    }
    if (own) move(own.dictionary);
    const destination = own?.dictionary.get(name('Dest')) ?? topOfPage(document, firstPages[next]!);
    const [before, after] = [outlineItems.slice(0, next).findLast(Boolean), outlineItems.slice(next + 1).find(Boolean)];
    const reference = (key: string, at: number | undefined): string => (at ? `\n/${key} ${at} 0 R` : '');
    const [first, last] = [below[0], below.at(-1)];
    const children =
      first && last
        ? `\n/First ${copier.textOf(first.reference)}\n/Last ${copier.textOf(last.reference)}\n/Count -${below.length}`
        : '';
    writer.write(
      number,
      `<</Title ${pdfText(parts[next]!.title)}\n/Parent ${outlineRoot} 0 R\n/Dest ${copier.textOf(destination)}` +
        `${reference('Prev', before)}${reference('Next', after)}${children}>>`,
    );
  };

  const copyDestinations = (known: ReadonlyMap<string, PDFObject>, copier: ObjectCopier): void => {
    for (const [key, array] of known) {
      const names = key.startsWith('heading=') ? [] : [shortName(key)];
      const text = copier.textOf(array);
      for (const one of [uniqueName(parts[next]!.id, key), ...names])
        if (!destinations.has(one)) destinations.set(one, { name: name(one).toString(), text });
    }
  };

  /** The headings that the table of contents links to, by their index in the outline of the part. */
  const headingDestinations = (document: PDFDocument): [string, PDFObject][] => {
    const { id, title } = parts[next]!;
    const prefix = uniqueName(id, 'heading=');
    const wanted = new Set([...required.keys()].filter((one) => one.startsWith(prefix)));
    if (wanted.size === 0) return [];
    const items = [...inOrder(headingsBelow(title, readOutline(document)).below)];
    return items.flatMap(({ dictionary }, index): [string, PDFObject][] => {
      const destination = dictionary.lookup(name('Dest'));
      return wanted.has(`${prefix}${index}`) && destination instanceof PDFArray
        ? [[`heading=${index}`, destination]]
        : [];
    });
  };

  const add = (document: PDFDocument): void => {
    const { catalog } = document;
    const copier = openObjectCopier(document, writer, written, structureKey);
    if (catalog.has(name('StructTreeRoot')) && !isTagged) catalog.delete(name('StructTreeRoot'));
    const structure = readPartStructure(document, next, shared, (value) => copier.textOf(value));
    const keys = countStructureKeys(document, structure);
    const known = readNamedDestinations(document);
    const onBrokenLink = (uri: string): void => {
      const link = uri.slice(0, maxLinkLength);
      if (brokenLinks.size < maxRenderWarnings) brokenLinks.set(`${next} ${link}`, { part: next, link });
    };
    const links: PartLinks = { part: parts[next]!.id, firstPages: firstPageOf, onBrokenLink };
    const move = (owner: PDFDict): void =>
      moveDestinations(document, owner, known, links, (one, part) => void required.set(one, part));
    const headings = headingDestinations(document);
    omitOtherPages(document, copier);
    for (const [index, { ref }] of document.getPages().entries())
      if (index === 0) copier.replaceBy(ref, firstPages[next]!);
      else copier.reserve(ref);
    for (const { reference } of structure.elements) copier.reserve(reference);
    for (const key of ['Pages', 'StructTreeRoot', 'Outlines'])
      if (catalog.get(name(key)) instanceof PDFRef) copier.omit(catalog.get(name(key)) as PDFRef);
    if (document.context.trailerInfo.Root instanceof PDFRef) copier.omit(document.context.trailerInfo.Root);
    copyPages(document, copier, move);
    copyOutline(document, copier, move);
    structureWriter?.add(document, copier, structure, { title: parts[next]!.title, firstKey: structureKey });
    copyDestinations(new Map([...known, ...headings]), copier);
    structureKey += keys;
    next += 1;
  };

  const end = (base: PDFDocument): Merged => {
    const copier = openObjectCopier(base, writer, written, structureKey);
    for (const [one, part] of required)
      if (!destinations.has(one))
        destinations.set(one, {
          name: name(one).toString(),
          text: `[${firstPageOf.get(part)!} 0 R /XYZ null null null]`,
        });
    const nodes = pageNodes.map(({ number }) => `${number} 0 R`).join(' ');
    writer.write(pagesRoot, `<</Type /Pages\n/Count ${pageCount}\n/Kids [${nodes}]>>`);
    const catalog = base.context.obj({});
    for (const [key, value] of base.catalog.entries()) catalog.set(key, value);
    const set = (key: string, number: number): void => catalog.set(name(key), finalReference(number));
    set('Pages', pagesRoot);
    const structure = structureWriter?.end(structureKey);
    if (structure) {
      set('StructTreeRoot', structure.root);
      catalog.set(name('MarkInfo'), base.context.obj({ Type: 'MarkInfo', Marked: true }));
      if (structure.language !== null) catalog.set(name('Lang'), PDFString.of(structure.language));
    }
    const items = outlineItems.filter(Boolean);
    if (items.length > 0) {
      writer.write(
        outlineRoot,
        `<</Type /Outlines\n/First ${items[0]} 0 R\n/Last ${items.at(-1)} 0 R\n/Count ${items.length}>>`,
      );
      set('Outlines', outlineRoot);
    }
    if (destinations.size > 0)
      set(
        'Dests',
        writer.append(`<<${[...destinations.values()].map((one) => `${one.name} ${one.text}`).join('\n')}>>`),
      );
    const root = writer.append(copier.textOf(catalog));
    const information = base.context.lookup(base.context.trailerInfo.Info);
    const info = writer.append(copier.textOf(information ?? base.context.obj({})));
    return { bytes: writer.end(root, info), pages: pageCount, brokenLinks: [...brokenLinks.values()] };
  };

  return { add, end };
};
