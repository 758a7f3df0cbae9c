import type { Relationship } from '#contracts/http/attachments.ts';
import type { FacturXProfile } from '#contracts/http/factur-x.ts';

/**
 * `schema` names the XML schema; `guidelines` are the allowed identifiers of the profile in the XML (BT-24); `level` is
 * its name in the metadata; `relationship` is what the XML is to the PDF.
 */
type Profile = { schema: string; guidelines: readonly string[]; level: string; relationship: Relationship };

const en16931 = 'urn:cen.eu:en16931:2017';

export const profiles: Record<FacturXProfile, Profile> = {
  minimum: {
    schema: 'MINIMUM',
    guidelines: ['urn:factur-x.eu:1p0:minimum'],
    level: 'MINIMUM',
    relationship: 'Data',
  },
  basicwl: {
    schema: 'BASICWL',
    guidelines: ['urn:factur-x.eu:1p0:basicwl'],
    level: 'BASIC WL',
    relationship: 'Data',
  },
  basic: {
    schema: 'BASIC',
    guidelines: [`${en16931}#compliant#urn:factur-x.eu:1p0:basic`],
    level: 'BASIC',
    relationship: 'Alternative',
  },
  en16931: { schema: 'EN16931', guidelines: [en16931], level: 'EN 16931', relationship: 'Alternative' },
  extended: {
    schema: 'EXTENDED',
    guidelines: [`${en16931}#conformant#urn:factur-x.eu:1p0:extended`],
    level: 'EXTENDED',
    relationship: 'Alternative',
  },
  xrechnung: {
    schema: 'EN16931',
    guidelines: [`${en16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`],
    level: 'XRECHNUNG',
    relationship: 'Alternative',
  },
};
