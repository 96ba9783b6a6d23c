import { Module } from '@nestjs/common';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { ConditionsController } from './conditions.controller.js';
import { ConditionsService } from './conditions.service.js';

@Module({
  imports: [SubmissionsModule],
  controllers: [ConditionsController],
  providers: [ConditionsService],
})
export class ConditionsModule {}
