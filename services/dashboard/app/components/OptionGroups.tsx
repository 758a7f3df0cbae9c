import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { strings } from '../strings/strings.ts';
import { Button } from './Button.tsx';
import { countSet, type RenderOptionValues } from './option-values.ts';
import { Badge } from './StatusBadge.tsx';

const texts = strings.renderOptions;

export type OptionGroupId = keyof typeof texts.groups;

export type OptionGroup = {
  id: OptionGroupId;
  /** The options of the API that the group sets. */
  options: readonly string[];
  fields: ReactNode;
};

/** How many options have a value, as a badge; nothing if none has one. */
export const SetOptions = ({ count }: { count: number }): ReactElement | null =>
  count === 0 ? null : <Badge tone="info">{texts.set(count)}</Badge>;

const hasError = ({ options }: OptionGroup, errors: Record<string, string>): boolean =>
  Object.keys(errors).some((field) => options.includes(/^\w+/.exec(field)?.[0] ?? ''));

type OptionGroupsProps = {
  groups: readonly OptionGroup[];
  options: RenderOptionValues;
  errors: Record<string, string>;
};

/** Groups of options that fold, with the number of options that are set in each. A group with an error unfolds. */
export const OptionGroups = ({ groups, options, errors }: OptionGroupsProps): ReactElement => {
  const [open, setOpen] = useState<readonly OptionGroupId[]>(() => groups.slice(0, 1).map(({ id }) => id));
  const withErrors = groups.filter((group) => hasError(group, errors)).map(({ id }) => id);
  useEffect(() => setOpen((shown) => [...new Set([...shown, ...withErrors])]), [withErrors.join(' ')]);
  const isAllOpen = open.length === groups.length;
  return (
    <div className="option-groups">
      <Button
        variant="quiet"
        size="small"
        aria-expanded={isAllOpen}
        onPress={() => setOpen(isAllOpen ? [] : groups.map(({ id }) => id))}
      >
        {isAllOpen ? texts.hideAll : texts.showAll}
      </Button>
      {groups.map(({ id, options: names, fields }) => (
        <details
          key={id}
          className="fold option-group"
          open={open.includes(id)}
          onToggle={({ currentTarget: { open: isOpen } }) =>
            setOpen((shown) => [...shown.filter((one) => one !== id), ...(isOpen ? [id] : [])])
          }
        >
          <summary>
            <span className="option-group-title">{texts.groups[id].title}</span>
            <span className="option-group-text">{texts.groups[id].text}</span>
            <span className="option-group-state">
              {withErrors.includes(id) && <Badge tone="danger">{texts.invalid}</Badge>}
              <SetOptions count={countSet(options, names)} />
            </span>
          </summary>
          <div className="option-grid" role="group" aria-label={texts.groups[id].title}>
            {fields}
          </div>
        </details>
      ))}
    </div>
  );
};
