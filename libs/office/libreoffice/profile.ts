const item = (path: string, name: string, value: boolean | number | string): string =>
  `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** A version that no LibreOffice is newer than. A newer one tests its graphics at each start, for about a second. */
const newestVersion = '99.9';

/**
 * The settings of LibreOffice: no macros, no links that update, no Java, nothing that is not needed to print. Calc's
 * values are those stored in the file (2 is never).
 */
export const profileSettings = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
  item('Office.Common/Security/Scripting', 'MacroSecurityLevel', 3),
  item('Office.Common/Security/Scripting', 'DisableMacrosExecution', true),
  item('Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', true),
  item('Office.Common/Security/Scripting', 'CheckDocumentEvents', false),
  item('Office.Common/Misc', 'UseOpenCL', false),
  item('Office.Common/Misc', 'UseLocking', false),
  item('Office.Common/Save/Document', 'AutoSave', false),
  item('Office.Common/History', 'PickListSize', 0),
  item('Office.Writer/Content/Update', 'Link', 0),
  item('Office.Calc/Content/Update', 'Link', 2),
  item('Office.Calc/Formula/Load', 'OOXMLRecalcMode', 1),
  item('Office.Calc/Formula/Load', 'ODFRecalcMode', 1),
  item('Setup/Product', 'ooSetupLastVersion', newestVersion),
  item('Office.Recovery/RecoveryInfo', 'Enabled', false),
  item('Office.Recovery/AutoSave', 'Enabled', false),
  '</oor:items>',
  '',
].join('\n');

/** Switches Java off (the file of the settings of the Java framework, which has one for each kind of machine). */
export const javaSettings =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<java xmlns="http://openoffice.org/2004/java/framework/1.0" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><enabled xsi:nil="false">false</enabled></java>\n';
