import { readFileSync } from 'node:fs';
import { XmlDocument, xmlRegisterInputProvider, XsdValidator } from 'libxml2-wasm';

const folder = new URL('schemas/', import.meta.url);
/** The only names that the XML library can open: an invoice cannot make it read any other file. */
const schemaName = /^factur-x\/(FACTUR-X_[\w-]+\.xsd)$/;

const openFiles = new Map<number, { bytes: Uint8Array; offset: number }>();
let lastFile = 0;

const readSchema = (name: string): Buffer => readFileSync(new URL(schemaName.exec(name)![1]!, folder));

const registerSchemas = (): void => {
  xmlRegisterInputProvider({
    match: (name) => schemaName.test(name),
    open: (name) => {
      lastFile += 1;
      openFiles.set(lastFile, { bytes: readSchema(name), offset: 0 });
      return lastFile;
    },
    read: (file, buffer) => {
      const open = openFiles.get(file)!;
      const bytes = open.bytes.subarray(open.offset, open.offset + buffer.byteLength);
      buffer.set(bytes);
      open.offset += bytes.byteLength;
      return bytes.byteLength;
    },
    close: (file) => openFiles.delete(file),
  });
};

const validators = new Map<string, XsdValidator>();

/** The validator of a schema, which stays in memory: about 9 MB each. */
export const validatorOf = (schema: string): XsdValidator => {
  if (validators.size === 0) registerSchemas();
  const known = validators.get(schema);
  if (known) return known;
  const url = `factur-x/FACTUR-X_${schema}.xsd`;
  const source = XmlDocument.fromBuffer(readSchema(url), { url });
  const validator = XsdValidator.fromDoc(source);
  source.dispose();
  validators.set(schema, validator);
  return validator;
};
