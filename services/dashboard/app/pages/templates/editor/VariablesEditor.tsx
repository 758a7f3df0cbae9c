import type { ReactElement } from 'react';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { isExactNumber } from '#contracts/http/exact-numbers.ts';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Checkbox, optionsOf, Select, TextField } from '../../../components/fields.tsx';
import { strings } from '../../../strings/strings.ts';
import { type EditProps, sampleOf } from '../draft.ts';

const texts = strings.templates.variables;
const types = optionsOf(texts.types);

const typeOf = (value: unknown): VariableDeclaration['type'] => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d/.test(value) ? 'date' : 'string';
  if (typeof value === 'number' || isExactNumber(value)) return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
};

/** The declared variables of the template. */
export const VariablesEditor = ({ draft, onChange, isReadOnly }: EditProps): ReactElement => {
  const { variables } = draft;
  const change = (index: number, changes: Partial<VariableDeclaration>): void =>
    onChange({ variables: variables.map((one, at) => (at === index ? { ...one, ...changes } : one)) });
  const sample = sampleOf(draft);
  const undeclared =
    'data' in sample
      ? Object.entries(sample.data).filter(
          ([name, value]) => value !== null && !variables.some((one) => one.name === name),
        )
      : [];
  return (
    <div className="stack">
      <p className="muted">{texts.text}</p>
      {variables.length === 0 && <p>{texts.none}</p>}
      {variables.map(({ name, type, required }, index) => (
        // A row has no other identity: its name changes while it is typed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="variable-row" role="group" aria-label={texts.of(index + 1)}>
          <TextField
            label={texts.name}
            isLabelHidden={index > 0}
            isMonospace
            value={name}
            isReadOnly={isReadOnly}
            onChange={(value) => change(index, { name: value })}
          />
          <Select
            label={texts.type}
            isLabelHidden={index > 0}
            value={type}
            options={types}
            isDisabled={isReadOnly}
            onChange={(value) => change(index, { type: value })}
          />
          <Checkbox
            label={texts.required}
            isSelected={required}
            isDisabled={isReadOnly}
            onChange={(isSelected) => change(index, { required: isSelected })}
          />
          {!isReadOnly && (
            <IconButton
              icon="trash"
              label={texts.remove(name)}
              onPress={() => onChange({ variables: variables.filter((_, at) => at !== index) })}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <div className="button-row">
          <Button
            icon="plus"
            onPress={() => onChange({ variables: [...variables, { name: '', type: 'string', required: false }] })}
          >
            {texts.add}
          </Button>
          {undeclared.length > 0 && (
            <Button
              onPress={() =>
                onChange({
                  variables: [
                    ...variables,
                    ...undeclared.map(([name, value]) => ({ name, type: typeOf(value), required: true })),
                  ],
                })
              }
            >
              {texts.fromSample}
            </Button>
          )}
        </div>
      )}
    </div>
  );
};
