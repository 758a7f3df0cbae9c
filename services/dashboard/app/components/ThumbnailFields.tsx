import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { Select, TextField } from './fields.tsx';
import type { NestedFieldsProps } from './NestedOptionFields.tsx';
import { asObject, textOf, withValue } from './option-values.ts';

const texts = strings.renderOptions;

/** An image of the first page, with a width of its own or the usual one. */
export const ThumbnailFields = ({ options, onChange, errors, isReadOnly }: NestedFieldsProps): ReactElement => {
  const { thumbnail } = options;
  const width = textOf(asObject(thumbnail)['width']);
  const hasWidth = width !== '';
  const change = (value: unknown): void => onChange(withValue(options, 'thumbnail', value) ?? {});
  return (
    <>
      <Select
        label={texts.names.thumbnail}
        value={hasWidth ? 'true' : textOf(thumbnail)}
        error={hasWidth ? undefined : errors['thumbnail']}
        isDisabled={isReadOnly}
        options={[
          { value: '', label: texts.default(texts.off) },
          { value: 'true', label: texts.on },
          { value: 'false', label: texts.off },
        ]}
        onChange={(value) => change(value === '' ? undefined : value === 'true' && (hasWidth ? thumbnail : true))}
      />
      <TextField
        label={texts.thumbnailWidth}
        value={width}
        error={errors['thumbnail.width'] ?? (hasWidth ? errors['thumbnail'] : undefined)}
        isReadOnly={isReadOnly}
        placeholder="320"
        onChange={(text) => change(text === '' || { width: /^\d+$/.test(text.trim()) ? Number(text) : text })}
      />
    </>
  );
};
