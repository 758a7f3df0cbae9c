import type { ReactElement } from 'react';
import { FileTrigger } from 'react-aria-components';
import { strings } from '../strings/strings.ts';
import { Button, IconButton } from './Button.tsx';
import { Select, TextField } from './fields.tsx';
import { formatBytes } from './formats.ts';
import { LinesField } from './LinesField.tsx';
import { fieldValuesOf, OptionField, type OptionsProps } from './OptionField.tsx';
import { type RenderOptionValues, sizeOfBase64, textOf, toBase64, withOption, withValue } from './option-values.ts';
import { showError } from './Toast.tsx';

const texts = strings.renderOptions;

const pdfaLevels = ['pdf/a-2b', 'pdf/a-2u', 'pdf/a-3b', 'pdf/a-3u'];
const pdfua = 'pdf/ua-1';
const yesOrDefault = [
  { value: '', label: texts.default(texts.off) },
  { value: 'true', label: texts.on },
];

/** One archive standard, the accessibility standard, or both. */
export const StandardFields = ({ options, onChange, errors, isReadOnly }: OptionsProps): ReactElement => {
  const chosen = [options['conformance'] ?? []].flat();
  const level = chosen.find((one) => one !== pdfua);
  const isAccessible = chosen.includes(pdfua);
  const change = (newLevel: unknown, accessible: boolean): void => {
    const [first, second] = [...(newLevel === undefined ? [] : [newLevel]), ...(accessible ? [pdfua] : [])];
    onChange(withOption(options, 'conformance', second === undefined ? first : [first, second]));
  };
  return (
    <>
      <OptionField
        label={texts.pdfa}
        field={{ kind: 'choice', values: pdfaLevels, initial: texts.none }}
        value={level}
        error={errors['conformance']}
        isReadOnly={isReadOnly}
        onChange={(value) => change(value, isAccessible)}
      />
      <Select
        label={texts.pdfua}
        value={isAccessible ? 'true' : ''}
        isDisabled={isReadOnly}
        options={yesOrDefault}
        onChange={(value) => change(level, value === 'true')}
      />
    </>
  );
};

const oneOrMore = (lines: readonly string[]): unknown => (lines.length > 1 ? lines : lines[0]);
const linesOf = (value: unknown): string[] => [value ?? []].flat().map(String);
const entriesOf = (lines: readonly string[]): RenderOptionValues | undefined => {
  const entries = lines.flatMap((line) => {
    const at = line.indexOf(':');
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    return at > 0 && value !== '' ? [[name, value]] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** The metadata of the PDF. */
export const MetadataFields = (props: OptionsProps): ReactElement => {
  const { values: metadata, onChange, errorOf, isReadOnly } = fieldValuesOf(props, 'metadata', 'title');
  const change = (name: string, value: unknown): void => onChange(withValue(metadata, name, value));
  return (
    <>
      {(['title', 'subject', 'creator'] as const).map((name) => (
        <OptionField
          key={name}
          label={texts.metadata[name]}
          field={{ kind: 'text' }}
          value={metadata[name]}
          error={errorOf(name)}
          isReadOnly={isReadOnly}
          onChange={(value) => change(name, value)}
        />
      ))}
      {(['author', 'keywords'] as const).map((name) => (
        <LinesField
          key={name}
          label={texts.metadata[name]}
          description={texts.onePerLine}
          value={metadata[name]}
          parse={oneOrMore}
          format={linesOf}
          error={errorOf(name)}
          isReadOnly={isReadOnly}
          onChange={(value) => change(name, value)}
        />
      ))}
      <LinesField
        label={texts.metadata.custom}
        description={texts.metadata.customHint}
        value={metadata['custom'] as RenderOptionValues | undefined}
        parse={entriesOf}
        format={(value) => Object.entries(value ?? {}).map(([name, text]) => `${name}: ${String(text)}`)}
        error={errorOf('custom')}
        isReadOnly={isReadOnly}
        onChange={(value) => change('custom', value)}
      />
    </>
  );
};

/** A file of the option `attachments`, with its bytes in base64. */
export type AttachedFile = {
  name: string;
  data?: string;
  mime_type?: string;
  relationship?: string;
  description?: string;
};
export const attachedFiles = (options: RenderOptionValues): AttachedFile[] =>
  Array.isArray(options['attachments']) ? (options['attachments'] as AttachedFile[]) : [];

const unspecified = 'Unspecified';
const relationships = ['Source', 'Data', 'Alternative', 'Supplement'];

const readAttachment = async (file: File): Promise<AttachedFile> => ({
  name: file.name,
  ...(file.type === '' ? {} : { mime_type: file.type }),
  data: await toBase64(file),
});

/** The files in the PDF. A new file replaces one of the same name. */
export const AttachmentFields = ({ options, onChange, errors, isReadOnly }: OptionsProps): ReactElement => {
  const files = attachedFiles(options);
  const change = (changed: readonly AttachedFile[]): void =>
    onChange(withOption(options, 'attachments', changed.length === 0 ? undefined : changed));
  const add = async (chosen: readonly File[]): Promise<void> => {
    const added = await Promise.all(chosen.map(readAttachment));
    change([...files.filter(({ name }) => !added.some((file) => file.name === name)), ...added]);
  };
  const changeAt = (index: number, name: string, value: unknown): void =>
    change(files.with(index, withValue(files[index]!, name, value) as AttachedFile));
  const problems = Object.entries(errors).filter(([field]) => /^attachments\b/.test(field));
  return (
    <>
      {files.map(({ name, data = '', relationship, description }, index) => (
        <div key={name} className="option-wide option-file" role="group" aria-label={name}>
          <p className="row">
            <span className="option-file-name">
              {name}, {formatBytes(sizeOfBase64(data))}
            </span>
            {!isReadOnly && (
              <IconButton
                icon="close"
                label={texts.attachments.remove(name)}
                onPress={() => change(files.filter((_, at) => at !== index))}
              />
            )}
          </p>
          <div className="option-grid">
            <OptionField
              label={texts.attachments.relationship}
              field={{ kind: 'choice', values: relationships, initial: unspecified }}
              value={relationship}
              error={undefined}
              isReadOnly={isReadOnly}
              onChange={(value) => changeAt(index, 'relationship', value)}
            />
            <OptionField
              label={texts.attachments.description}
              field={{ kind: 'text' }}
              value={description}
              error={undefined}
              isReadOnly={isReadOnly}
              onChange={(value) => changeAt(index, 'description', value)}
            />
          </div>
        </div>
      ))}
      <div className="option-wide">
        <FileTrigger allowsMultiple onSelect={(chosen) => void add([...(chosen ?? [])]).catch(showError)}>
          <Button size="small" icon="plus" isDisabled={isReadOnly}>
            {texts.attachments.add}
          </Button>
        </FileTrigger>
        {problems.map(([field, message]) => (
          <p key={field} className="field-error">
            {message}
          </p>
        ))}
      </div>
    </>
  );
};

const profiles = ['minimum', 'basicwl', 'basic', 'en16931', 'extended', 'xrechnung'];
const usualProfile = 'en16931';

type FacturXProps = OptionsProps & { hasTemplate: boolean };

/** The XML of an electronic invoice. For a template, also the template of this XML. */
export const FacturXFields = ({ hasTemplate, ...props }: FacturXProps): ReactElement => {
  const { values: invoice, onChange, errorOf, isReadOnly } = fieldValuesOf(props, 'factur_x', 'profile');
  const change = (name: string, value: unknown): void => {
    const changed = withValue(invoice, name, value === '' ? undefined : value);
    const complete = changed && name !== 'profile' ? { profile: usualProfile, ...changed } : changed;
    const isEmpty = complete !== undefined && name !== 'profile' && Object.keys(complete).length === 1;
    onChange(isEmpty ? undefined : complete);
  };
  const readXml = async (file: File | undefined): Promise<void> => {
    if (file) change('xml', await file.text());
  };
  return (
    <>
      <OptionField
        label={texts.facturX.profile}
        field={{ kind: 'choice', values: profiles, initial: texts.none }}
        value={invoice['profile']}
        error={errorOf('profile')}
        isReadOnly={isReadOnly}
        onChange={(value) => change('profile', value)}
      />
      {(hasTemplate ? (['xml', 'template'] as const) : (['xml'] as const)).map((name) => (
        <div key={name} className="option-wide">
          <TextField
            label={texts.facturX[name]}
            description={name === 'template' && texts.facturX.templateHint}
            value={textOf(invoice[name])}
            error={errorOf(name)}
            rows={3}
            isMonospace
            isReadOnly={isReadOnly}
            onChange={(text) => change(name, text)}
          />
        </div>
      ))}
      <div className="option-wide">
        <FileTrigger
          acceptedFileTypes={['.xml', 'application/xml', 'text/xml']}
          onSelect={(chosen) => void readXml(chosen?.[0]).catch(showError)}
        >
          <Button size="small" isDisabled={isReadOnly}>
            {texts.facturX.chooseXml}
          </Button>
        </FileTrigger>
      </div>
    </>
  );
};
