import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurements } from '../../process/measurements.js';
import { AddressLimitGuard } from './address-limit.guard.js';
import { RespondentsService } from './respondents.service.js';

@Injectable()
export class RespondentMeasurements implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly respondents: RespondentsService,
    private readonly guard: AddressLimitGuard,
  ) {}

  onModuleInit(): void {
    const { measurements } = this;
    const { counts } = this.respondents;
    const { refused } = this.guard;
    measurements.counter(
      'formtrail_respondents_total',
      'Tokens of respondents that were issued.',
      ['event'],
      () => ({ created: counts.created, resumed: counts.resumed }),
    );
    measurements.counter(
      'formtrail_respondents_rejected_total',
      'Requests for a token of a respondent that were rejected.',
      ['reason'],
      () => ({ ...counts.refused, limit: refused.respondents, resume_limit: refused.resume }),
    );
  }
}
