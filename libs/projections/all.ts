import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import type { Projection } from './projection.ts';
import { renders } from './renders.ts';
import { usage } from './usage.ts';

/** Every read model there is. */
export const projections = [accounts, apiKeys, renders, usage] as unknown as readonly Projection[];
