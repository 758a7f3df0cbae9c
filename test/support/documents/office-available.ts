import { findLibreOffice } from '#libs/office/libreoffice/find.ts';

/** Whether LibreOffice is installed; without it, and with LIBREOFFICE_FOLDER=none, the tests that need it are skipped. */
export const isOfficeAvailable = !('missing' in findLibreOffice(process.env['LIBREOFFICE_FOLDER']));
