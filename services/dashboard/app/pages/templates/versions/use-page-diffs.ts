import { useEffect, useState } from 'react';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { drawPage, screenDensity } from '../../../components/pdf/open-pdf.ts';
import { comparePages, type PageImage } from './page-diff.ts';

/** The images of a page: null where a version has no such page. */
export type PageImages = { older: PageImage | null; newer: PageImage | null; marked: PageImage | null };
/** Which versions have a page, and the share of its pixels that changed. */
export type PageShare = { page: number; isIn: 'both' | 'older' | 'newer'; share: number };

export type Pair = readonly [older: PDFDocumentProxy, newer: PDFDocumentProxy];

/** In CSS pixels; enough to see a changed digit. */
const pageWidth = 620;

const imageOf = async (pdf: PDFDocumentProxy, page: number): Promise<PageImage | null> => {
  if (page > pdf.numPages) return null;
  const canvas = document.createElement('canvas');
  await drawPage(pdf, page, canvas, pageWidth, screenDensity());
  return canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
};

const imagesOf = async ([older, newer]: Pair, page: number): Promise<PageImages & PageShare> => {
  const [before, after] = [await imageOf(older, page), await imageOf(newer, page)];
  const diff = before && after ? comparePages(before, after) : null;
  const isIn = before ? (after ? 'both' : 'older') : 'newer';
  return { page, isIn, share: diff?.share ?? 1, older: before, newer: after, marked: diff?.marked ?? null };
};

export const pageCountOf = ([older, newer]: Pair): number => Math.max(older.numPages, newer.numPages);

/** Compares the pages one after the other. Their images are not kept: a hundred of them need gigabytes. */
export const usePageShares = (pair: Pair | null): PageShare[] => {
  const [shares, setShares] = useState<PageShare[]>([]);
  useEffect(() => {
    setShares([]);
    if (!pair) return undefined;
    let isCurrent = true;
    const compare = async (): Promise<void> => {
      for (let page = 1; page <= pageCountOf(pair) && isCurrent; page += 1) {
        const { isIn, share } = await imagesOf(pair, page);
        if (isCurrent) setShares((known) => [...known, { page, isIn, share }]);
      }
    };
    compare().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [pair]);
  return shares;
};

/** The images of one page; null while they are drawn. */
export const usePageImages = (pair: Pair | null, page: number): PageImages | null => {
  const [images, setImages] = useState<PageImages | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (pair)
      imagesOf(pair, page).then(
        (drawn) => isCurrent && setImages(drawn),
        () => undefined,
      );
    return () => {
      isCurrent = false;
    };
  }, [pair, page]);
  return images;
};
