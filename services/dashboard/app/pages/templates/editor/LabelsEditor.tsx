import { type ReactElement, useState } from 'react';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Select, TextField } from '../../../components/fields.tsx';
import { Form } from '../../../components/Form.tsx';
import { strings } from '../../../strings/strings.ts';
import type { EditProps } from '../draft.ts';

const texts = strings.templates.labels;
const languageNames = new Intl.DisplayNames('en', { type: 'language' });

const languageName = (tag: string): string => {
  try {
    return `${languageNames.of(tag)} (${tag})`;
  } catch {
    return tag;
  }
};

const isLanguageTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

const without = <V,>(record: Record<string, V>, name: string): Record<string, V> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== name));

type AddFieldProps = {
  label: string;
  button: string;
  problemOf: (text: string) => string | null;
  onAdd: (text: string) => void;
};

/** A field and a button that adds what is written in it. */
const AddField = ({ label, button, problemOf, onAdd }: AddFieldProps): ReactElement => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (): void => {
    const found = problemOf(text);
    setProblem(found);
    if (found !== null) return;
    onAdd(text);
    setText('');
  };
  return (
    <Form className="add-row" onSubmit={submit}>
      <TextField label={label} value={text} onChange={setText} error={problem} />
      <Button type="submit" icon="plus">
        {button}
      </Button>
    </Form>
  );
};

/** The texts of the template by language. */
export const LabelsEditor = ({ draft: { labels }, onChange, isReadOnly }: EditProps): ReactElement => {
  const tags = Object.keys(labels);
  const names = [...new Set(Object.values(labels).flatMap((one) => Object.keys(one)))];
  const [chosen, setChosen] = useState(tags.includes('en') ? 'en' : (tags[0] ?? 'en'));
  const tag = tags.includes(chosen) ? chosen : (tags[0] ?? 'en');
  const fallback = labels['en'] ?? Object.values(labels)[0] ?? {};
  const change = (changed: TemplateLabels): void => onChange({ labels: changed });
  const setText = (name: string, text: string): void => {
    const own = text === '' && tag !== 'en' ? without(labels[tag] ?? {}, name) : { ...labels[tag], [name]: text };
    change({ ...labels, [tag]: own });
  };
  return (
    <div className="stack">
      <p className="muted">{texts.text}</p>
      {tags.length === 0 && <p>{texts.none}</p>}
      {tags.length > 0 && (
        <div className="add-row">
          <Select
            label={texts.language}
            value={tag}
            options={tags.map((value) => ({ value, label: languageName(value) }))}
            onChange={setChosen}
          />
          {!isReadOnly && (
            <IconButton
              icon="trash"
              label={texts.removeLanguage(languageName(tag))}
              onPress={() => change(without(labels, tag))}
            />
          )}
        </div>
      )}
      {names.map((name) => (
        <div key={name} className="label-row">
          <TextField
            label={name}
            value={labels[tag]?.[name] ?? ''}
            isReadOnly={isReadOnly}
            placeholder={labels[tag]?.[name] === undefined ? texts.fallback(fallback[name] ?? '') : undefined}
            onChange={(text) => setText(name, text)}
          />
          {!isReadOnly && (
            <IconButton
              icon="trash"
              label={texts.remove(name)}
              onPress={() =>
                change(Object.fromEntries(Object.entries(labels).map(([one, own]) => [one, without(own, name)])))
              }
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <>
          <AddField
            label={texts.newLabel}
            button={texts.add}
            problemOf={(text) => (/^[A-Za-z]\w{0,49}$/.test(text) ? null : texts.wrongName)}
            onAdd={(name) => change({ ...labels, [tag]: { ...labels[tag], [name]: labels[tag]?.[name] ?? '' } })}
          />
          <AddField
            label={texts.newLanguage}
            button={texts.addLanguage}
            problemOf={(text) => (isLanguageTag(text) ? null : texts.wrongTag)}
            onAdd={(added) => {
              change({ ...labels, [added]: labels[added] ?? {} });
              setChosen(added);
            }}
          />
        </>
      )}
    </div>
  );
};
