import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { ConditionsController } from './conditions.controller.js';
import { ConditionsService } from './conditions.service.js';
import { Condition } from './entities/condition.js';

@Module({
  imports: [SubmissionsModule, TypeOrmModule.forFeature([Condition])],
  controllers: [ConditionsController],
  providers: [ConditionsService],
})
export class ConditionsModule {}
