import type { Command } from 'commander';

/** Finds a command of the core by its name, such as `submissions purge`, so that a capability can add to it. */
export function findCommand(program: Command, name: string): Command {
  return name.split(' ').reduce((parent, word) => {
    const command = parent.commands.find((one) => one.name() === word);
    if (command === undefined) throw new Error(`There is no command "${name}".`);
    return command;
  }, program);
}
