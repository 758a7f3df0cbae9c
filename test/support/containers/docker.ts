import { spawnSync } from 'node:child_process';

/** Whether there is a Docker that runs containers; without one, these tests are skipped. */
export const isDockerAvailable = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

/** The servers, by the versions that docker-compose.yml has. */
export const serverImages = {
  kurrentdb: 'kurrentplatform/kurrentdb:25.1',
  nats: 'nats:2.12-alpine',
  mongodb: 'mongo:8.0',
} as const;
