import { type ReactElement, useEffect, useState } from 'react';
import { Loading } from './notices.tsx';
import { PdfView } from './PdfView.tsx';

const types: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' };
const zip = 'application/zip';

/** The end of the name of a file of this media type. */
export const extensionOf = (contentType: string | undefined): string =>
  contentType === zip ? 'zip' : (Object.keys(types).find((extension) => types[extension] === contentType) ?? 'pdf');

/** The images of a file: itself, or those of a ZIP file. */
const imagesIn = async (file: Blob): Promise<Blob[]> => {
  if (file.type !== zip) return [file];
  const [{ unzipSync }, bytes] = await Promise.all([import('fflate'), file.arrayBuffer()]);
  return Object.entries(unzipSync(new Uint8Array(bytes))).map(
    ([name, image]) => new Blob([image], { type: types[name.split('.').at(-1)!] ?? 'image/png' }),
  );
};

const Images = ({ file, label }: { file: Blob; label: string }): ReactElement => {
  const [urls, setUrls] = useState<string[] | null>(null);
  useEffect(() => {
    const made: string[] = [];
    let isCurrent = true;
    void imagesIn(file).then((images) => {
      if (!isCurrent) return;
      made.push(...images.map((image) => URL.createObjectURL(image)));
      setUrls(made);
    });
    return () => {
      isCurrent = false;
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (!urls) return <Loading />;
  return (
    <div className="stack" role="group" aria-label={label}>
      {urls.map((url, index) => (
        <img key={url} src={url} alt={`${label} ${index + 1}`} className="image-page" loading="lazy" />
      ))}
    </div>
  );
};

type FileViewProps = {
  file: Blob;
  label: string;
  /** Opens an encrypted PDF. */
  password?: string | undefined;
};

/** What a render gave: the pages of a PDF, or images. */
export const FileView = ({ file, label, password }: FileViewProps): ReactElement =>
  extensionOf(file.type) !== 'pdf' ? (
    <Images file={file} label={label} />
  ) : (
    <PdfView pdf={file} label={label} password={password} />
  );
