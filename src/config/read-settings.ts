import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Environment, type SettingsClass, type Texts } from './environment.js';
import { misspeltVariables } from './misspelt-variables.js';
import { StartError } from './start-error.js';
import { VARIABLES } from './variable.decorators.js';

/**
 * Reads and validates the configuration. Calls `warn` for each variable whose name seems to be misspelt.
 *
 * @param capabilities the settings of capabilities, which become properties of the environment
 * @throws StartError with one sentence for each variable that is invalid or missing
 */
export function readSettings(
  variables: NodeJS.ProcessEnv,
  capabilities: readonly SettingsClass[],
  warn: (sentence: string) => void = () => undefined,
): Environment {
  for (const sentence of misspeltVariables(Object.keys(variables), [...VARIABLES.values()])) warn(sentence);
  const settings: readonly SettingsClass[] = [Environment, ...capabilities];
  // Treats an empty text as unset, because Docker Compose passes an unset variable as an empty text.
  const texts: Texts = Object.fromEntries(
    [...VARIABLES.values()].map((name) => [name, variables[name]?.trim() || undefined]),
  );
  for (const part of settings) part.complete?.(texts);
  const properties = Object.fromEntries([...VARIABLES].map(([property, name]) => [property, texts[name]]));

  // Validates the texts, not the values, so that a message quotes an invalid text as the operator wrote it.
  const errors = settings.flatMap(({ prototype }) =>
    validateSync(Object.assign(Object.create(prototype) as object, properties), {
      skipUndefinedProperties: true,
    }),
  );
  const environment = new Environment();
  for (const part of settings)
    Object.assign(
      environment,
      plainToInstance(part, properties, { exposeDefaultValues: true, excludeExtraneousValues: true }),
    );
  const invalid = new Set(errors.map(({ property }) => VARIABLES.get(property)));
  const isInvalid = (name: string) => invalid.has(name);
  const isSet = (name: string) => texts[name] !== undefined && !isInvalid(name);
  const sentences = [
    ...errors.flatMap(({ constraints = {} }) => Object.values(constraints)),
    ...settings.flatMap((part) => part.contradictions?.(environment, isSet, isInvalid) ?? []),
  ];
  if (sentences.length > 0) throw new StartError(sentences.join('\n'));
  return Object.freeze(environment);
}
