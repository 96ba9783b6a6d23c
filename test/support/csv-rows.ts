/** The first columns of every exported table. */
export const OWN =
  'uuid,status,current_step,created_at,updated_at,begun_version,completed_version,user_email,meta';
/** The times, and no versions: submissions of these tests are stored without the service. */
export const TIMES = '2026-11-21T10:00:00.000001Z,2026-11-21T11:00:00.000001Z,,';
export const times = { createdAt: '2026-11-21T10:00:00.000001Z', updatedAt: '2026-11-21T11:00:00.000001Z' };

/** Returns the lines without their first nine columns. Expects new drafts with the times above and no meta. */
export function rowsOf(stdout: string): string[] {
  const lines = stdout.split('\r\n');
  expect(lines.pop()).toBe('');
  const own = new RegExp(`^(${OWN}|[-0-9a-f]{36},draft,1,${TIMES},ada@example.org,)(,|$)`);
  return lines.map((line) => {
    expect(line).toMatch(own);
    return line.replace(own, '');
  });
}
