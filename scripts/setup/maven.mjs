import { canInstall, installPackages, updatePackageLists } from './apt.mjs';
import { commandOutput } from './run-command.mjs';

export const hasJava = () => commandOutput('java', ['-version']) !== undefined;
const hasMaven = () => commandOutput('mvn', ['--version']) !== undefined;

/** Whether Java and Maven are there. Installs both where that is possible: Debian has them. */
export const ensureMaven = () => {
  if (!(hasJava() && hasMaven()) && canInstall() && updatePackageLists())
    installPackages('Maven for the tests', ['default-jre-headless', 'maven']);
  return hasJava() && hasMaven();
};
