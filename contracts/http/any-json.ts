import { z } from 'zod';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object, passed on as the very object that came in: its members are not looked at, however many they are. */
export const anyObject = z.custom<Record<string, unknown>>(isObject, 'must be an object').meta({ type: 'object', additionalProperties: {} });

/** Any JSON array, likewise. */
export const anyArray = z.custom<unknown[]>(Array.isArray, 'must be an array').meta({ type: 'array', items: {} });
