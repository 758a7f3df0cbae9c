import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { encryptionPermissions } from '#contracts/http/encryption.ts';
import { composePdf } from '#libs/pdf/compose/compose-pdf.ts';

// Composes the PDFs of a folder, with a password if there is one, and prints the result, with the most memory that this process had, in MB.
const [folder = '', output = '', count = '', password] = process.argv.slice(2);
const parts = readdirSync(folder)
  .toSorted()
  .slice(0, Number(count))
  .map((file, index) => ({
    id: String(index),
    file: join(folder, file),
    origin: `parts[${index}]`,
    title: `Part ${index + 1}`,
    isListed: true,
    isBlankBefore: false,
    namesLanguage: true,
    firstPage: 1,
  }));
const result = await composePdf({
  parts,
  output,
  maxBytes: null,
  hasOutline: true,
  isTagged: false,
  metadata: {},
  standards: null,
  stamps: null,
  encryption: password
    ? {
        userPassword: password,
        ownerPassword: null,
        secret: '0f'.repeat(32),
        permissions: encryptionPermissions.parse({}),
        encryptMetadata: true,
      }
    : null,
  requestedAt: '2026-05-20T12:00:00.000Z',
});
process.stdout.write(JSON.stringify({ ...result, maxMb: process.resourceUsage().maxRSS / 1024 }));
