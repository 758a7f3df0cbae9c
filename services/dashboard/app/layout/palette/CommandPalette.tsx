import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { Dialog, Input, Label, Modal, ModalOverlay, TextField } from 'react-aria-components';
import { Icon } from '../../components/Icon.tsx';
import { strings } from '../../strings/strings.ts';
import { type Command, useCommands } from './use-commands.ts';

const texts = strings.palette;

type CommandPaletteProps = {
  isOpen: boolean;
  /** The person closes the palette. */
  onClose: () => void;
  /** Before a command runs: closes the palette and what is below it. */
  onRun: () => void;
  onShortcuts: () => void;
};

const Palette = ({ onRun, onShortcuts }: Pick<CommandPaletteProps, 'onRun' | 'onShortcuts'>): ReactElement => {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { commands, isSearching } = useCommands(text, onShortcuts);
  const shown = Math.min(active, commands.length - 1);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onRun();
    command.run();
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((shown + step + commands.length) % Math.max(1, commands.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[shown]);
    }
  };
  return (
    <>
      <TextField
        className="palette-field"
        value={text}
        onChange={(value) => {
          setText(value);
          setActive(0);
        }}
        autoFocus
      >
        <Label className="visually-hidden">{texts.title}</Label>
        <Icon name="search" />
        <Input
          className="palette-input"
          placeholder={texts.placeholder}
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          {...(commands[shown] && { 'aria-activedescendant': `palette-${shown}` })}
          onKeyDown={handleKey}
        />
      </TextField>
      <div role="listbox" id="palette-list" aria-label={texts.title} className="palette-list" tabIndex={-1}>
        {commands.map((command, index) => (
          // The field has the focus; the keyboard works through it.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === shown}
            className="palette-item"
            onClick={() => run(command)}
            onMouseMove={() => setActive(index)}
            ref={(element) => {
              if (index === shown) element?.scrollIntoView({ block: 'nearest' });
            }}
          >
            <Icon name={command.icon} />
            <span dir="auto">{command.title}</span>
            <span className="palette-group">{command.group}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && (
        <p className="palette-none" role="status">
          {isSearching ? texts.searching : texts.noResults}
        </p>
      )}
    </>
  );
};

/** Search for pages, actions and things by name, and for anything by its id. */
export const CommandPalette = ({ isOpen, onClose, ...rest }: CommandPaletteProps): ReactElement => (
  <ModalOverlay className="modal-overlay" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
    <Modal className="modal palette">
      <Dialog aria-label={texts.title} className="dialog">
        <Palette {...rest} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);
