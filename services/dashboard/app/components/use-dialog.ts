import { useEffect } from 'react';
import { useFilters } from './FilterBar.tsx';

/**
 * Whether the dialog with this name is open. The address of the page says so, so that a link can open it. Someone who
 * is not allowed to use it loses that part of the address: it would open the dialog after a change of the account.
 */
export const useDialog = (name: string, isAllowed = true): [isOpen: boolean, setOpen: (isOpen: boolean) => void] => {
  const [{ dialog }, change] = useFilters();
  const isOpen = dialog === name;
  useEffect(() => {
    if (isOpen && !isAllowed) change({ dialog: '' });
  });
  return [isOpen && isAllowed, (open) => change({ dialog: open ? name : '' })];
};
