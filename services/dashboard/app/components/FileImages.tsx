import { unzipSync } from 'fflate';
import { type ReactElement, useEffect, useState } from 'react';
import { imageTypes, zipType } from './file-types.ts';
import { Loading } from './notices.tsx';

/** The images of a file: itself, or those of a ZIP file. */
const imagesIn = async (file: Blob): Promise<Blob[]> => {
  if (file.type !== zipType) return [file];
  const files = unzipSync(new Uint8Array(await file.arrayBuffer()));
  return Object.entries(files).map(
    ([name, image]) => new Blob([image], { type: imageTypes[name.split('.').at(-1)!] ?? 'image/png' }),
  );
};

export const FileImages = ({ file, label }: { file: Blob; label: string }): ReactElement => {
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
