import { z } from 'zod';
import { printOptionNames } from '#contracts/http/print-option-names.ts';
import { optionalRenderOptionFields, withConsistentPage } from '#contracts/http/render-options.ts';

type OptionFields = typeof optionalRenderOptionFields;

const names = [...printOptionNames, 'page_ranges'] as const;

type Name = (typeof names)[number];

const fields = Object.fromEntries(names.map((name) => [name, optionalRenderOptionFields[name]])) as Pick<
  OptionFields,
  Name
>;

/** The render options that a document can name itself. The others are about the request. */
export const documentOptions = withConsistentPage(z.object(fields));
export const documentOptionNames: readonly string[] = names;
export type DocumentOptions = z.output<typeof documentOptions>;
