import type { ReactElement } from 'react';
import { FileTrigger } from 'react-aria-components';
import { strings } from '../strings/strings.ts';
import { Button, IconButton } from './Button.tsx';
import { formatBytes } from './formats.ts';
import { sizeOfBase64, toBase64 } from './option-values.ts';
import { showError } from './Toast.tsx';

const texts = strings.renderOptions.image;

type ImageFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  isReadOnly: boolean;
};

/** An image as base64, from a file. */
export const ImageField = ({ label, value, onChange, error, isReadOnly }: ImageFieldProps): ReactElement => (
  <div className="field" role="group" aria-label={label}>
    <span className="field-label">{label}</span>
    {value === '' ? (
      <FileTrigger
        acceptedFileTypes={['image/png', 'image/jpeg', 'image/svg+xml']}
        onSelect={(files) => {
          const file = files?.[0];
          if (file) void toBase64(file).then(onChange, showError);
        }}
      >
        <Button size="small" isDisabled={isReadOnly}>
          {texts.choose}
        </Button>
      </FileTrigger>
    ) : (
      <span className="row">
        {texts.chosen(formatBytes(sizeOfBase64(value)))}
        {!isReadOnly && <IconButton icon="close" label={texts.remove} onPress={() => onChange('')} />}
      </span>
    )}
    {error && <span className="field-error">{error}</span>}
  </div>
);
