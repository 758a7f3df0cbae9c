import type { ClipboardEvent, ReactElement } from 'react';
import { DropZone, FileTrigger, isFileDropItem, Text } from 'react-aria-components';
import { Button, IconButton } from '../../components/Button.tsx';
import { formatBytes } from '../../components/formats.ts';
import { Icon } from '../../components/Icon.tsx';
import { type KeyHandler, TextField } from '../../components/fields.tsx';
import { Notice } from '../../components/notices.tsx';
import { strings } from '../../strings/strings.ts';
import { needsFile, type PartType, type Source, typeOfFile } from './request.ts';

const texts = strings.playground;

/** A text to edit, or a file that is dropped, pasted or chosen. */
export const SourceInput = <Type extends PartType>({
  source: { type, text, file },
  error,
  rows = 14,
  onText,
  onKeyDown,
  onFile,
}: {
  source: Source<Type>;
  error: string | undefined;
  rows?: number;
  onText: (text: string) => void;
  onKeyDown: KeyHandler;
  onFile: (file: File | null) => void;
}): ReactElement => {
  if (type === 'url')
    return (
      <TextField type="url" label={texts.url} value={text} error={error} onChange={onText} onKeyDown={onKeyDown} />
    );
  const paste = (event: ClipboardEvent): void => {
    const [pasted] = event.clipboardData.files;
    if (!pasted) return;
    event.preventDefault();
    onFile(pasted);
  };
  return (
    <div className="stack" onPaste={paste}>
      <DropZone className="drop-zone" onDrop={({ items }) => void items.find(isFileDropItem)?.getFile().then(onFile)}>
        {file ? (
          <p className="drop-zone-file">
            <Icon name="renders" size={18} />
            <span>{texts.file(file.name, formatBytes(file.size))}</span>
            <IconButton icon="close" label={texts.removeFile} onPress={() => onFile(null)} />
          </p>
        ) : (
          <>
            <Text slot="label">{texts.dropTitle}</Text>
            <FileTrigger onSelect={(files) => onFile(files?.[0] ?? null)}>
              <Button size="small">{texts.chooseFile}</Button>
            </FileTrigger>
            <p className="small muted">{texts.dropText}</p>
          </>
        )}
      </DropZone>
      <div role="status">
        {file && type !== 'template' && typeOfFile(file.name) === null && (
          <Notice tone="warning">{texts.unknownType(file.name)}</Notice>
        )}
      </div>
      {file && error && <p className="field-error">{error}</p>}
      {!file && needsFile(type) && <p className="muted">{type === 'pdf' ? texts.pdfNeedsFile : texts.wordNeedsFile}</p>}
      {!file && !needsFile(type) && (
        <TextField
          label={type === 'template' ? texts.data : texts.source}
          value={text}
          error={error}
          rows={rows}
          isMonospace
          onChange={onText}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  );
};
