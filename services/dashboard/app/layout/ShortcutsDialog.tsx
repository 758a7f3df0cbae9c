import { type ReactElement, useState } from 'react';
import { Dialog } from '../components/Dialog.tsx';
import { Switch } from '../components/fields.tsx';
import { strings } from '../strings/strings.ts';
import { areSingleKeysOn, setSingleKeys } from './shortcuts.ts';
import { useNavigation } from './use-navigation.ts';

const texts = strings.shortcuts;
const general: [string[], string][] = [
  [['Ctrl', 'K'], texts.palette],
  [['/'], texts.search],
  [['?'], texts.help],
  [['Esc'], texts.closeDialog],
];

const Keys = ({ keys }: { keys: string[] }): ReactElement => (
  <span className="keys">
    {keys.map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);

/** Lists the keyboard shortcuts. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const items = useNavigation().flatMap((section) => section.items);
  const [isOn, setOn] = useState(areSingleKeysOn);
  const change = (on: boolean): void => {
    setSingleKeys(on);
    setOn(on);
  };
  return (
    <Dialog onClose={onClose} title={texts.title}>
      <div className="grid-3">
        <section>
          <h3>{texts.general}</h3>
          <dl className="shortcut-list">
            {general.map(([keys, text]) => (
              <div key={text}>
                <dt>{text}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>{texts.navigation}</h3>
          <dl className="shortcut-list">
            {items.map(({ href, title, key }) => (
              <div key={href}>
                <dt>{title}</dt>
                <dd>
                  <Keys keys={['g', key]} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <Switch label={texts.singleKeys} description={texts.singleKeysText} isSelected={isOn} onChange={change} />
    </Dialog>
  );
};
