import { useEffect, useState } from 'react';
import { type OpenPdf, openPdf } from './open-pdf.ts';

type State = { document: OpenPdf['document'] | null; error: unknown };

/** Opens a PDF, and closes it when another one is open. An encrypted one needs its password. */
export const useOpenPdf = (pdf: Blob | undefined, password?: string): State => {
  const [state, setState] = useState<State>({ document: null, error: null });
  useEffect(() => {
    if (!pdf) return undefined;
    let isCurrent = true;
    const opened = openPdf(pdf, password);
    opened.then(
      ({ document }) => isCurrent && setState({ document, error: null }),
      (error: unknown) => isCurrent && setState({ document: null, error }),
    );
    return () => {
      isCurrent = false;
      opened.then(
        ({ close }) => close(),
        () => undefined,
      );
    };
  }, [pdf]);
  return state;
};
