const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML or XML, also in attributes with double quotes. */
export const escapeMarkup = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!);
