import type { ReactElement } from 'react';

/** Paths on a grid of 24 by 24, drawn as lines. */
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6V10h-6zM4 20h6v-3H4zM14 6h6V4h-6z',
  renders: 'M6 3h8l5 5v13H6zM14 3v5h5M9 13h6M9 17h6',
  webhooks: 'M4 12h11M11 7l5 5-5 5M20 5v14',
  templates: 'M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z',
  playground: 'M7 5l12 7-12 7z',
  keys: 'M14.5 9.5a4 4 0 1 1-4-4 4 4 0 0 1 4 4zM13.4 12.4L20 19M17 16l2-2',
  usage: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  audit: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  people:
    'M12 8a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM3 20c0-4 3-6 6-6s6 2 6 6M16 5.5a3 3 0 0 1 0 5M17.5 14.5c2 .8 3.5 2.6 3.5 5.5',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  operator: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
  search: 'M16 11a5 5 0 1 1-10 0 5 5 0 0 1 10 0zM15 15l5 5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.500l5 5L19 7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  chevronUp: 'M6 15l6-6 6 6',
  chevronDown: 'M6 9l6 6 6-6',
  chevronRight: 'M9 6l6 6-6 6',
  chevronLeft: 'M15 6l-6 6 6 6',
  sort: 'M8 9l4-4 4 4M8 15l4 4 4-4',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  refresh: 'M20 11a8 8 0 1 0-2.3 6M20 5v6h-6',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8v5M12 16h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  filter: 'M4 6h16M7 12h10M10 18h4',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  person: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-4 4-6 8-6s8 2 8 6',
  book: 'M5 4h10a4 4 0 0 1 4 4v12H9a4 4 0 0 1-4-4zM9 8h6',
  live: 'M12 12h.01M8.5 8.500a5 5 0 0 0 0 7M15.5 8.500a5 5 0 0 1 0 7M5.5 5.500a9 9 0 0 0 0 13M18.5 5.500a9 9 0 0 1 0 13',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon in the colour of the text; what it means must be in text beside it. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }): ReactElement => (
  <svg
    className="icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'more' ? 3 : 1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
);
