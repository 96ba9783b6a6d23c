import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Environment, type SettingsClass } from '../config/environment.js';
import { Measurements } from '../process/measurements.js';
import { Program } from './program.js';

/** Provides the resources of the process to all modules, and its environment as the settings of each capability. */
@Global()
@Module({})
export class ProgramModule {
  static of(program: Program, settings: readonly SettingsClass[]): DynamicModule {
    const { environment, measurements } = program;
    const tokens = [Environment, ...settings];
    return {
      module: ProgramModule,
      providers: [
        { provide: Program, useValue: program },
        { provide: Measurements, useValue: measurements },
        ...tokens.map((provide) => ({ provide, useValue: environment })),
      ],
      exports: [Program, Measurements, ...tokens],
    };
  }
}
