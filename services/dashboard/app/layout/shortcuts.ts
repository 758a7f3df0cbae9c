import { useEffect, useEffectEvent, useRef } from 'react';
import { useGoTo, useNavigation } from './use-navigation.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

const storageName = 'colophon.single-key-shortcuts';

/** Whether single keys are shortcuts. People who speak to their computer may need them off (WCAG 2.1.4). */
export const areSingleKeysOn = (): boolean => localStorage.getItem(storageName) !== 'off';
export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(storageName, isOn ? 'on' : 'off');

const isDialogOpen = (): boolean => document.querySelector('[role=dialog], [role=alertdialog]:not(.toast)') !== null;

type Actions = { openPalette: () => void; openHelp: () => void };

/**
 * Ctrl or Cmd with K: search. `/`: search on the page. `g` and a letter: go to a page. `?`: help.
 * There is no time limit for the letter, for people who type slowly; any other key and a click end the wait.
 */
export const useShortcuts = ({ openPalette, openHelp }: Actions): void => {
  const sections = useNavigation();
  const goTo = useGoTo();
  const isAfterG = useRef(false);
  const handle = useEffectEvent((event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
    if (!areSingleKeysOn()) return;
    if (isAfterG.current) {
      isAfterG.current = false;
      const item = sections.flatMap(({ items }) => items).find(({ key }) => key === event.key);
      if (!item) return;
      event.preventDefault();
      goTo(item.href);
      return;
    }
    if (event.key === 'g') isAfterG.current = true;
    if (event.key === '?') openHelp();
    if (event.key === '/') {
      event.preventDefault();
      const field = document.querySelector<HTMLElement>('[data-shortcut=search]');
      if (field) field.focus();
      else openPalette();
    }
  });
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => handle(event);
    const forgetG = (): void => {
      isAfterG.current = false;
    };
    document.addEventListener('keydown', handleKey);
    document.addEventListener('pointerdown', forgetG);
    return () => {
      document.removeEventListener('keydown', handleKey);
      document.removeEventListener('pointerdown', forgetG);
    };
  }, []);
};
