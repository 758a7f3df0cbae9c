import { createContext } from 'react';

/**
 * Whether links, buttons and tooltips are left out of what is shown. Rows of a list that moves fast are visible only for
 * a moment.
 */
export const WithoutControlsContext = createContext(false);
