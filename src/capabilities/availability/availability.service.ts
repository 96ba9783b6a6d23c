import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { UUID } from '../../http/bodies/uuid.js';
import { notFoundProblem } from '../../http/errors/problems.js';
import { FIND_AVAILABILITY } from './availability.statements.js';

/** Reads when a form is open and how many places are left (D7). */
@Injectable()
export class AvailabilityService {
  constructor(private readonly database: Database) {}

  /** Returns JSON, which PostgreSQL writes, because a form may have 100,000 options. */
  async find(formUuid: string): Promise<string> {
    const [found] = UUID.test(formUuid.toLowerCase())
      ? await this.database.query(FIND_AVAILABILITY, [formUuid])
      : [];
    if (found === undefined) throw notFoundProblem('Form');
    const { options, ...data } = found;
    return `{"data":${JSON.stringify(data).slice(0, -1)},"options":[${options}]}}`;
  }
}
