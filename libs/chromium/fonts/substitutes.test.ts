import { describe, expect, test } from 'vitest';
import { fontSubstitutes, hasSameWidths } from './substitutes.ts';

const substituteOf = (family: string, installed: string[]) =>
  fontSubstitutes(installed).find((rule) => rule.family === family)?.substitute;

describe('A missing font', () => {
  test('is replaced by the first installed font that is like it', () => {
    expect(substituteOf('Calibri', ['Carlito'])).toBe('Carlito');
    expect(substituteOf('Georgia', ['Noto Serif', 'Gelasio', 'TeX Gyre Pagella'])).toBe('Gelasio');
    expect(substituteOf('Georgia', ['Noto Serif', 'TeX Gyre Pagella'])).toBe('TeX Gyre Pagella');
    expect(substituteOf('Verdana', ['dejavu sans'])).toBe('DejaVu Sans');
  });

  test('is not replaced if it is installed, or if nothing like it is', () => {
    expect(substituteOf('Georgia', ['georgia', 'Gelasio'])).toBeUndefined();
    expect(fontSubstitutes(['Nowhere Sans'])).toEqual([]);
  });

  test('keeps its widths with a metric-compatible font only', () => {
    expect(hasSameWidths('calibri', 'Carlito')).toBe(true);
    expect(hasSameWidths('Georgia', 'Gelasio')).toBe(true);
    expect(hasSameWidths('Georgia', 'TeX Gyre Pagella')).toBe(false);
    expect(hasSameWidths('Nowhere Sans', 'Carlito')).toBe(false);
  });
});
