import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of Ogg with Opus were stored as `audio/ogg; codecs=opus`. A stored media type has no parameters. */
export class PlainMediaTypes1797200000002 implements MigrationInterface {
  name = 'PlainMediaTypes1797200000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `update files set media_type = split_part(media_type, ';', 1) where media_type like '%;%'`,
    );
  }

  async down(): Promise<void> {
    // The previous version works with the plain types.
  }
}
