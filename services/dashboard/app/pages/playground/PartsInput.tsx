import type { ReactElement } from 'react';
import { api } from '../../api/client.ts';
import { useTemplateNames } from '../../api/names.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Checkbox, type KeyHandler, plainOptions, Select, TextField } from '../../components/fields.tsx';
import { showError } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { type Contents, type Part, type PartType, partTypes, typeOfFile } from './request.ts';
import { SourceInput } from './SourceInput.tsx';

const texts = strings.playground;
const kinds = partTypes.map((value) => ({ value, label: texts.inputTypes[value] }));
const depths = plainOptions(['1', '2', '3', '4'] as const);
const isSample = (text: string): boolean => text === '' || Object.values(texts.sample).includes(text);

let lastKey = 0;
/** A part with the sample text of its type. */
export const newPart = (type: PartType = 'markdown'): Part => ({
  key: (lastKey += 1),
  type,
  text: texts.sample[type],
  file: null,
  templateId: '',
  title: '',
  isCover: false,
  startsRight: false,
});

/** The part with another type; its sample text goes with the type. */
const withType = (part: Part, type: PartType): Part => ({
  ...part,
  type,
  ...(isSample(part.text) ? { text: texts.sample[type] } : {}),
});

/** The template of a part; with it come its sample data. */
const TemplateSelect = ({ part, onChange }: { part: Part; onChange: (changes: Partial<Part>) => void }) => {
  const names = useTemplateNames();
  const choose = async (id: string): Promise<void> => {
    onChange({ templateId: id });
    const { sample_data: sample } = await api.get('/api/v1/templates/{template_id}', { params: { template_id: id } });
    if (sample) onChange({ templateId: id, text: JSON.stringify(sample, null, 2) });
  };
  return (
    <Select
      label={texts.template}
      value={part.templateId}
      placeholder={texts.chooseTemplate}
      options={[...names].map(([value, label]) => ({ value, label }))}
      // A list without options does not open.
      isDisabled={names.size === 0}
      onChange={(id) => void choose(id).catch(showError)}
    />
  );
};

type PartInputProps = {
  part: Part;
  number: number;
  count: number;
  error: string | undefined;
  onChange: (changes: Partial<Part>) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
  onKeyDown: KeyHandler;
};

const PartInput = ({ part, number, count, error, onChange, onMove, onRemove, onKeyDown }: PartInputProps) => {
  const chooseFile = (file: File | null): void => {
    const type = file && typeOfFile(file.name);
    onChange({ file, ...(type && part.type !== 'template' ? { type } : {}) });
  };
  return (
    <fieldset className="fieldset stack playground-part">
      <legend>{texts.part(number)}</legend>
      <div className="row playground-part-actions">
        {number > 1 && <IconButton icon="chevronUp" label={texts.moveUp(number)} onPress={() => onMove(-1)} />}
        {number < count && <IconButton icon="chevronDown" label={texts.moveDown(number)} onPress={() => onMove(1)} />}
        {count > 1 && <IconButton icon="trash" label={texts.removePart(number)} onPress={onRemove} />}
      </div>
      <div className="option-grid">
        <Select
          label={texts.inputType}
          value={part.type}
          options={kinds}
          onChange={(type) => onChange(withType({ ...part, file: null }, type))}
        />
        <TextField
          label={texts.partTitle}
          placeholder={texts.partTitleDefault}
          value={part.title}
          onChange={(title) => onChange({ title })}
        />
      </div>
      {part.type === 'template' && <TemplateSelect part={part} onChange={onChange} />}
      <SourceInput
        source={part}
        error={error}
        rows={5}
        onText={(text) => onChange({ text })}
        onFile={chooseFile}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <Checkbox label={texts.cover} isSelected={part.isCover} onChange={(isCover) => onChange({ isCover })} />
        <Checkbox
          label={texts.startRight}
          isSelected={part.startsRight}
          onChange={(startsRight) => onChange({ startsRight })}
        />
      </div>
    </fieldset>
  );
};

type ContentsInputProps = {
  contents: Contents | null;
  errors: Readonly<Record<string, string>>;
  onChange: (to: Contents | null) => void;
};

const ContentsInput = ({ contents, errors, onChange }: ContentsInputProps) => (
  <div className="stack">
    <Checkbox
      label={texts.contents}
      isSelected={contents !== null}
      onChange={(isSelected) => onChange(isSelected ? { title: '', depth: '', language: '' } : null)}
    />
    {contents && (
      <div className="option-grid">
        <TextField
          label={texts.contentsTitle}
          value={contents.title}
          onChange={(title) => onChange({ ...contents, title })}
        />
        <Select
          label={texts.contentsDepth}
          value={contents.depth}
          options={[{ value: '', label: strings.renderOptions.default('2') }, ...depths]}
          onChange={(depth) => onChange({ ...contents, depth })}
        />
        <TextField
          label={texts.contentsLanguage}
          placeholder={texts.contentsLanguageDefault}
          value={contents.language}
          error={errors['contents.language'] ?? errors['contents']}
          onChange={(language) => onChange({ ...contents, language })}
        />
      </div>
    )}
  </div>
);

/** The message for a part, whichever of its fields is wrong. */
const errorOfPart = (errors: Readonly<Record<string, string>>, index: number): string | undefined =>
  Object.entries(errors).find(
    ([field]) => field.startsWith(`parts[${index}]`) || field.startsWith(`parts.${index}.`),
  )?.[1];

/** The parts of a composed document in their order, and its table of contents. */
export const PartsInput = ({
  parts,
  contents,
  errors,
  onParts,
  onContents,
  onKeyDown,
}: {
  parts: readonly Part[];
  contents: Contents | null;
  errors: Readonly<Record<string, string>>;
  onParts: (change: (parts: readonly Part[]) => readonly Part[]) => void;
  onContents: (contents: Contents | null) => void;
  onKeyDown: KeyHandler;
}): ReactElement => {
  const move = (index: number, by: -1 | 1): void =>
    onParts((before) => before.with(index, before[index + by]!).with(index + by, before[index]!));
  return (
    <div className="stack">
      {parts.map((part, index) => (
        <PartInput
          key={part.key}
          part={part}
          number={index + 1}
          count={parts.length}
          error={errorOfPart(errors, index)}
          onKeyDown={onKeyDown}
          onChange={(changes) =>
            onParts((before) => before.map((one) => (one.key === part.key ? { ...one, ...changes } : one)))
          }
          onMove={(by) => move(index, by)}
          onRemove={() => onParts((before) => before.filter(({ key }) => key !== part.key))}
        />
      ))}
      <div className="row">
        <Button icon="plus" onPress={() => onParts((before) => [...before, newPart()])}>
          {texts.addPart}
        </Button>
      </div>
      <ContentsInput contents={contents} errors={errors} onChange={onContents} />
    </div>
  );
};
