import { type ReactElement, Suspense } from 'react';
import { lazyComponent } from '../api/load-code.ts';
import { extensionOf } from './file-types.ts';
import { Loading } from './notices.tsx';
import { PdfView } from './PdfView.tsx';

const FileImages = lazyComponent(() => import('./FileImages.tsx'), 'FileImages');

type FileViewProps = {
  file: Blob;
  label: string;
  /** Opens an encrypted PDF. */
  password?: string | undefined;
};

/** What a render gave: the pages of a PDF, or images. */
export const FileView = ({ file, label, password }: FileViewProps): ReactElement =>
  extensionOf(file.type) === 'pdf' ? (
    <PdfView pdf={file} label={label} password={password} />
  ) : (
    <Suspense fallback={<Loading />}>
      <FileImages file={file} label={label} />
    </Suspense>
  );
