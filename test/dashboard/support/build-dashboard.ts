import { ensureDashboard } from '../../../scripts/setup/dashboard.mjs';

/** Builds the dashboard from the present sources before the tests. */
export default (): void => ensureDashboard();
