import { expect, it } from 'vitest';
import { helpers as languageHelpers } from '#libs/templating/template-helpers/helper-registry.ts';
import { helpers } from '../../services/dashboard/app/pages/templates/editor/template-language.ts';

it('The editor knows every helper of the template language', () => {
  const blocks = Object.entries(languageHelpers).map(([name, { form }]) => [name, form === 'block']);
  expect(Object.entries(helpers).map(([name, { isBlock }]) => [name, isBlock])).toEqual(blocks);
});
