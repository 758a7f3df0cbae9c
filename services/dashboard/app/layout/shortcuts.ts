import { useEffect, useRef } from 'react';
import { useGoTo, useNavigation } from './use-navigation.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

const storageName = 'colophon.single-key-shortcuts';

/** Whether single keys are shortcuts. People who speak to their computer may need them off (WCAG 2.1.4). */
export const areSingleKeysOn = (): boolean => localStorage.getItem(storageName) !== 'off';
export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(storageName, isOn ? 'on' : 'off');

const isDialogOpen = (): boolean => document.querySelector('[role=dialog], [role=alertdialog]:not(.toast)') !== null;

/**
 * Ctrl or Cmd with K: search. `/`: search on the page. `g` and a letter: go to a page. `?`: help.
 * There is no time limit for the letter, for people who type slowly; any other key and a click end the wait.
 */
export const useShortcuts = (actions: { openPalette: () => void; openHelp: () => void }): void => {
  const sections = useNavigation();
  const goTo = useGoTo();
  const current = useRef({ actions, sections, goTo });
  useEffect(() => {
    current.current = { actions, sections, goTo };
  });
  useEffect(() => {
    let isAfterG = false;
    const forgetG = (): void => {
      isAfterG = false;
    };
    const handle = (event: KeyboardEvent): void => {
      const { actions: todo, sections: shown, goTo: go } = current.current;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        todo.openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
      if (!areSingleKeysOn()) return;
      if (isAfterG) {
        forgetG();
        const item = shown.flatMap(({ items }) => items).find(({ key }) => key === event.key);
        if (item) {
          event.preventDefault();
          go(item.href);
        }
        return;
      }
      if (event.key === 'g') isAfterG = true;
      if (event.key === '?') todo.openHelp();
      if (event.key === '/') {
        event.preventDefault();
        const field = document.querySelector<HTMLElement>('[data-shortcut=search]');
        if (field) field.focus();
        else todo.openPalette();
      }
    };
    document.addEventListener('keydown', handle);
    document.addEventListener('pointerdown', forgetG);
    return () => {
      document.removeEventListener('keydown', handle);
      document.removeEventListener('pointerdown', forgetG);
    };
  }, []);
};
