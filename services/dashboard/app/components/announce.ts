const shownMs = 5_000;

let region: HTMLElement | undefined;
let timer: number | undefined;

/** React Aria hides everything outside an open dialog from screen readers, except what has this attribute. */
const createRegion = (): HTMLElement => {
  const created = document.createElement('div');
  created.dataset['liveAnnouncer'] = 'true';
  created.setAttribute('aria-live', 'polite');
  created.className = 'visually-hidden';
  document.body.append(created);
  return created;
};

/** Reads a text out to people who use a screen reader. */
export const announce = (text: string): void => {
  region ??= createRegion();
  region.textContent = text;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => region?.replaceChildren(), shownMs);
};
