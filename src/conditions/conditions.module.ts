import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConditionsService } from './conditions.service.js';
import { Condition } from './entities/condition.js';

@Module({
  imports: [TypeOrmModule.forFeature([Condition])],
  providers: [ConditionsService],
  exports: [ConditionsService],
})
export class ConditionsModule {}
