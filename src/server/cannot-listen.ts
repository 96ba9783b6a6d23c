import { StartError } from '../config/start-error.js';

/** @throws StartError if the operator can mend the cause */
export function cannotListen(error: unknown, name: string, port: number, host: string): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    throw new StartError(
      `Port ${port} of ${host} is in use, perhaps by another Formtrail. Stop it, or set ${name}.`,
    );
  if (['EACCES', 'EINVAL', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    throw new StartError(`Cannot listen on port ${port} of ${host} (${message}). Check ${name} and HOST.`);
  throw error;
}
